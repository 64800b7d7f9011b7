import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../../server/kiosk/testing/testKiosk.ts';
import { noScreen } from '../../server/kiosk/testing/testScreen.ts';
import { type Kiosk, shareKiosk } from './bareBrowser.ts';
import { UNSEEN_PICTURE } from './touch.ts';

/** Reports to its parent which parts of Faceplate its first script could see. */
const LOOK = `<script>
  const names = () => [
    ...Object.getOwnPropertyNames(window).filter((name) => name.startsWith('_')),
    ...['container', 'MobileBridge', 'faceplateStreams', 'faceplateSipVideo'].filter((name) => name in window),
  ];
  const first = names();
  setTimeout(() => parent.postMessage([...first, ...names()], '*'));
</script>`;

/** Frames at once, each of a separate site: enough to notice a guard that comes late. */
const FRAMES = 8;
const KEYS = `<body style="margin:0">${UNSEEN_PICTURE}<input style="width:140px;height:60px"><script>
  document.querySelector('input').onfocus = () => parent.postMessage('focused', '*');
  onkeydown = ({ key, defaultPrevented }) => parent.postMessage(key + ' ' + defaultPrevented, '*');
</script>`;

describe('frames of a page without a debugger', { skip: noScreen }, () => {
  let kiosk: Kiosk;
  shareKiosk((opened) => {
    kiosk = opened;
    kiosk.site.files.set('/look', { body: LOOK });
    kiosk.site.files.set('/keys', { body: KEYS });
  });

  test('security: the first script of a frame finds nothing of the bridge', async () => {
    const { site } = kiosk;
    const kinds: Record<string, string>[] = [
      { src: '/look' },
      { src: `${site.origin('other')}/look` },
      { srcdoc: LOOK },
      { src: '/look', sandbox: 'allow-scripts' },
      { src: `${site.origin('other')}/look`, sandbox: 'allow-scripts' },
      { srcdoc: LOOK, sandbox: 'allow-scripts' },
      { src: `data:text/html,${encodeURIComponent(LOOK)}` },
    ];
    const seen = await site.ask((kinds: Record<string, string>[]) => {
      const looks = kinds.flatMap((attributes) =>
        Array.from({ length: 4 }, () => {
          const frame = document.createElement('iframe');
          for (const name in attributes) frame.setAttribute(name, attributes[name]!);
          return new Promise<string[]>((resolve) => {
            addEventListener(
              'message',
              ({ data, source }) => source === frame.contentWindow && resolve(data),
            );
            document.body.append(frame);
          });
        }),
      );
      return Promise.all(looks);
    }, kinds);
    assert.deepEqual(
      seen,
      kinds.flatMap(() => Array.from({ length: 4 }, () => [])),
    );
  });

  test('security: the key guard is in every frame of another site before its first script', async () => {
    const { site, screen } = kiosk;
    const sources = Array.from({ length: FRAMES }, (_, i) => `${site.origin(`site${i}`)}/keys`);
    const answers = site.show(`<body>${UNSEEN_PICTURE}<script>
      const answers = [];
      onmessage = ({ data }) => {
        fetch('/said');
        if (data !== 'focused' && answers.push(data) === ${FRAMES}) bare.report(answers);
      };
      ${JSON.stringify(sources)}.forEach((src, i) => {
        const frame = Object.assign(document.createElement('iframe'), { src, width: 140, height: 60 });
        frame.style = 'position:fixed;border:0;top:100px;left:' + i * 150 + 'px';
        frame.onload = () => fetch('/loaded');
        document.body.append(frame);
      });
    </script>`);
    const times = (path: string) =>
      site.requests.filter((request) => request === `bare.localhost${path}`).length;
    await until(() => times('/loaded') === FRAMES, 'the frames');
    for (let i = 0; i < FRAMES; i++) {
      await screen.input(`mousemove ${i * 150 + 20} 120 click 1`);
      await until(() => times('/said') === 2 * i + 1, `the focus of frame ${i}`);
      await screen.input('key F3');
      await until(() => times('/said') === 2 * i + 2, `the key in frame ${i}`);
    }
    assert.deepEqual(
      await answers,
      sources.map(() => 'F3 true'),
    );
  });
});
