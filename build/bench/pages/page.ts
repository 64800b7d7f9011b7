import { openKiosk, openPlain } from '../../../e2e/bare/bareBrowser.ts';
import type { Bench } from '../bench.ts';

/** Tries of each kind per round, in turns; the best counts, because the machine has other work too. */
const TRIES = 2;

interface Deed {
  readonly key: string;
  readonly label: string;
  readonly times: number;
  /** The goal, if there is one: at most this many times what plain Chromium takes. */
  readonly atMost?: number;
  /** What the page runs, as JavaScript that can use `times`. */
  readonly source: string;
}

const deeds: readonly Deed[] = [
  {
    key: 'fetches',
    label: 'small fetches at once',
    times: 500,
    atMost: 1.15,
    source: `await Promise.all(Array.from({ length: times }, async () => (await fetch('/small')).arrayBuffer()));`,
  },
  {
    key: 'row',
    label: 'small requests in a row',
    times: 200,
    source: `for (let i = 0; i < times; i++) {
      const request = new XMLHttpRequest();
      request.open('GET', '/small');
      request.send();
      await new Promise((resolve) => { request.onload = resolve; });
    }`,
  },
  {
    key: 'lines',
    label: 'console lines',
    times: 10_000,
    atMost: 2,
    source: `for (let i = 0; i < times; i++) console.log('line', i, { i });`,
  },
  {
    key: 'frames',
    label: 'frames',
    times: 40,
    atMost: 1.15,
    source: `await Promise.all(Array.from({ length: times }, () => new Promise((resolve) => {
      document.body.append(Object.assign(document.createElement('iframe'), { src: '/small', onload: resolve }));
    })));`,
  },
];

/** A page that does the deed once and reports the milliseconds it took. */
const pageOf = ({ source, times }: Deed) => `<body><script>bare.report(async () => {
  const times = ${times};
  const began = performance.now();
  ${source}
  return performance.now() - began;
})</script>`;

export const pageBench: Bench = {
  name: 'page',
  about: 'time of a page in the kiosk against the same page in plain Chromium, both without a debugger',
  rows: deeds.flatMap(({ key, label, times }) => [
    { key: `${key} kiosk`, label: `${times} ${label}`, unit: 'ms' },
    { key: `${key} plain`, label: `${times} ${label}, plain Chromium`, unit: 'ms', isPeer: true as const },
  ]),
  ratios: deeds.flatMap(({ key, label, atMost }) =>
    atMost === undefined
      ? []
      : [{ label: `${label}: kiosk / plain`, of: `${key} kiosk`, by: `${key} plain`, goal: { atMost } }],
  ),
  async setUp() {
    const stack = new AsyncDisposableStack();
    const browsers = { kiosk: stack.use(await openKiosk()), plain: stack.use(await openPlain()) };
    for (const { site } of Object.values(browsers)) site.files.set('/small', { body: '{}' });
    const round = async (tries: number) => {
      const best: Record<string, number> = {};
      for (const deed of deeds)
        for (let i = 0; i < tries; i++)
          for (const [name, { site }] of Object.entries(browsers)) {
            const row = `${deed.key} ${name}`;
            best[row] = Math.min(
              best[row] ?? Number.POSITIVE_INFINITY,
              await site.show<number>(pageOf(deed)),
            );
          }
      return best;
    };
    await round(1);
    return { round: () => round(TRIES), tearDown: () => stack.disposeAsync() };
  },
};
