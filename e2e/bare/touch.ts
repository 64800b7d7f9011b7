import { until } from '../../server/kiosk/testing/testKiosk.ts';
import type { BareBrowser } from './bareBrowser.ts';

/** The colour of the page, which nothing else on the screen has. */
export const GREEN = '#00AA00';

/**
 * A picture in the colour of the page. Chromium 130 shows a page without text or picture only after half a second, and
 * drops the input before.
 */
export const UNSEEN_PICTURE = `<svg style="position:fixed" width="9" height="9"><path fill="${GREEN}" d="M0 0h9v9H0z"/></svg>`;

/** The outcome of one touch. */
interface Outcome {
  /** What `deed` returned, the name of its error, `silent` after a second, or `left` when the page was left. */
  readonly said: unknown;
  /** Every colour that was on the screen meanwhile. */
  readonly colours: string[];
  /** How many windows there were at the end. */
  readonly windows: number;
}

/** The page is as it was: nothing covered it, not even for a frame, and no other window opened. */
export const untouched = (said: unknown): Outcome => ({ said, colours: [GREEN], windows: 1 });

/** Shows a green page, touches it for real, and watches the screen while the page runs the script `deed`. */
export async function touch(browser: BareBrowser, deed: string, html = ''): Promise<Outcome> {
  const { site, screen } = browser;
  const reported =
    site.show<unknown>(`<body style="margin:0;background:#00aa00">${UNSEEN_PICTURE}${html}<script>
    onclick = () => {
      onclick = null;
      addEventListener('pagehide', () => bare.report('left'));
      const said = (async () => { ${deed} })().then((value) => value ?? 'done', ({ name }) => name);
      const silence = new Promise((resolve) => setTimeout(resolve, 1000, 'silent'));
      // A dialog over the page may take a moment more.
      Promise.race([said, silence]).then((value) => setTimeout(() => bare.report(value), 700));
    };
    requestAnimationFrame(() => requestAnimationFrame(() => fetch('/ready')));
  </script>`);
  const ready = 'bare.localhost/ready';
  await until(() => site.requests.includes(ready), 'the page');
  await until(async () => (await screen.colours()).join() === GREEN, 'its picture');
  site.requests.splice(0, site.requests.length);
  using watch = screen.watch();
  await screen.input('mousemove 640 400 click 1');
  const said = await reported;
  return { said, colours: watch.stop(), windows: (await browser.windows()).length };
}

/** Waits until something covers the page that was touched; it may have gone again, or come later on a busy machine. */
export async function untilCovered({ screen }: BareBrowser, { said, colours }: Outcome): Promise<void> {
  await until(
    async () => colours.length > 1 || (await screen.colours()).length > 1,
    `something over the page, which says ${said}`,
  );
}
