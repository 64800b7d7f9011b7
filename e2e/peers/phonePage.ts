/** The page of a project that is a phone: it records its events, and shows pictures of calls over a box. */
export const phonePage = `<!doctype html><title>phone</title>
<body style="margin:0;background:#223">
<div id="box" style="position:absolute;left:40px;top:40px;width:320px;height:240px"></div>
<script>
  phoneTold = [];
  phoneVideos = {};
  container.sip.claim();
  // The shadow root is closed, so the test keeps it when it is made.
  const attachShadow = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    const root = attachShadow.call(this, options);
    setTimeout(() => (phoneVideos[this.dataset.faceplateStream] = root.querySelector('video')));
    return root;
  };
  for (const name of ['incomingCall', 'callConnected', 'callEnded', 'callFailed', 'registrationChanged',
    'panelFound', 'panelLost', 'pagingStatusChanged'])
    container.sip.on(name, (payload) => phoneTold.push({ name, ...payload }));
</script>`;
