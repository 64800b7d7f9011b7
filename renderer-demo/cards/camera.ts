import { BridgePlayer } from '../bridgePlayer.ts';
import { container } from '../container.ts';
import { CardStatus, element } from '../dom.ts';
import { type PlayerState, WhepPlayer } from '../whep.ts';

const STATE_NAMES: Readonly<Record<PlayerState, string>> = {
  off: 'Stopped',
  connecting: 'Connecting',
  playing: 'Live',
  waiting: 'Trying again',
  failed: 'Failed',
};

/** This many seconds without a new picture mean that the camera sends nothing. */
const STILL_SECONDS = 3;

/** Plays an RTSP camera through the panel: the address goes to the panel, the picture comes back over WebRTC. */
export function startCameraCard(): void {
  const status = new CardStatus('camera');
  const card = element('camera-card', HTMLElement);
  const form = element('camera-form', HTMLFormElement);
  const url = element('camera-url', HTMLInputElement);
  const names = element('camera-name', HTMLSelectElement);
  const playButton = element('camera-play', HTMLButtonElement);
  const bridgeButton = element('camera-bridge', HTMLButtonElement);
  const soundButton = element('camera-sound', HTMLButtonElement);
  const talkButton = element('camera-talk', HTMLButtonElement);
  const video = element('camera-video', HTMLVideoElement);
  const stateName = element('camera-state', HTMLElement);
  const resolution = element('camera-resolution', HTMLElement);
  const frameRate = element('camera-fps', HTMLElement);
  let state: PlayerState = 'off';
  let frames = 0;
  let stillSeconds = 0;

  // Each page needs its own name: a name in use is taken over, and the other page goes dark.
  const session = `demo-${Math.random().toString(36).slice(2)}`;
  const whep = new WhepPlayer(video, session, changed);
  const bridge = new BridgePlayer('camera-screen', (next, error) => {
    if (isByBridge()) changed(next, error);
  });
  const isByBridge = () => bridgeButton.getAttribute('aria-pressed') === 'true';
  const isOn = () => state !== 'off' && state !== 'failed';
  const player = () => (isByBridge() ? bridge : whep);

  function changed(next: PlayerState, error?: unknown): void {
    state = next;
    stillSeconds = 0;
    if (error) status.sayError(error);
    else status.say(isByBridge() ? 'The panel puts the picture over the box: no request, no <video>.' : '');
    show();
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (isOn()) player().stop();
    else player().play(url.value.trim());
  });

  bridgeButton.addEventListener('click', () => {
    const wasOn = isOn();
    if (wasOn) player().stop();
    bridgeButton.setAttribute('aria-pressed', String(!isByBridge()));
    if (wasOn) player().play(url.value.trim());
  });

  soundButton.addEventListener('click', () => {
    video.muted = !video.muted;
    if (isByBridge()) bridge.setMuted(video.muted);
    soundButton.setAttribute('aria-pressed', String(!video.muted));
  });

  const talk = (on: boolean) => {
    if (talkButton.getAttribute('aria-pressed') === String(on)) return;
    talkButton.setAttribute('aria-pressed', String(on));
    player()
      .talk(on)
      .catch((error: unknown) => status.sayError(error));
  };
  // The microphone is open while the button is held, and not a moment longer.
  talkButton.addEventListener('pointerdown', (event) => {
    talkButton.setPointerCapture(event.pointerId);
    talk(true);
  });
  talkButton.addEventListener('keydown', ({ key }) => (key === ' ' || key === 'Enter') && talk(true));
  for (const end of ['pointerup', 'pointercancel', 'lostpointercapture', 'keyup', 'blur'])
    talkButton.addEventListener(end, () => talk(false));
  talkButton.addEventListener('contextmenu', (event) => event.preventDefault());

  setInterval(() => {
    const total = video.getVideoPlaybackQuality().totalVideoFrames;
    const newFrames = Math.max(0, total - frames);
    frames = total;
    frameRate.textContent = state === 'playing' && !isByBridge() ? `${newFrames} fps` : '';
    if (state !== 'playing' || isByBridge()) return;
    const wasStill = stillSeconds >= STILL_SECONDS;
    stillSeconds = newFrames > 0 ? 0 : stillSeconds + 1;
    const isStill = stillSeconds >= STILL_SECONDS;
    if (isStill !== wasStill) status.say(isStill ? 'The camera sends no picture at the moment.' : '');
  }, 1000);

  video.addEventListener('resize', show);

  function show(): void {
    card.dataset.state = state;
    stateName.textContent = STATE_NAMES[state];
    playButton.textContent = isOn() ? 'Stop' : 'Play';
    talkButton.hidden = !isOn() || !player().canTalk;
    if (talkButton.hidden) talk(false);
    resolution.textContent =
      state === 'playing' && video.videoWidth > 0 ? `${video.videoWidth} × ${video.videoHeight}` : '';
  }

  // Why no picture comes; null as soon as one does.
  let hadProblem = false;
  container.on('stream', ({ id, problem }) => {
    if (id !== session) return;
    if (problem !== null) status.sayError({ code: problem.code, message: problem.error });
    else if (hadProblem && isOn()) status.say('');
    hadProblem = problem !== null;
  });

  const TALK: Readonly<Record<string, string>> = { talking: 'You can talk.', ready: '' };
  container.on('talk', ({ session: id, state, reason }) => {
    if (id !== session && id !== 'page.camera-screen') return;
    status.say(reason ?? TALK[state] ?? '');
    show();
  });

  /** The cameras that have a name in the settings of the panel; the page needs neither their addresses nor their logins. */
  async function listNames(): Promise<void> {
    const { cameras } = await container.call('stream.cameras.named', {});
    names.replaceChildren(
      new Option('By name', ''),
      ...cameras.map(({ name }) => new Option(name, `camera:${name}`)),
    );
    names.hidden = cameras.length === 0;
  }
  names.addEventListener('change', () => {
    if (names.value === '') return;
    url.value = names.value;
    player().play(url.value);
  });
  listNames().catch((error: unknown) => status.sayError(error));

  show();
  container.on('snapshot', ({ camera }) => {
    if (camera === null || url.value !== '') return;
    url.value = camera;
    player().play(camera);
  });
}
