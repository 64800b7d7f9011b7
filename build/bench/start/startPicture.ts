import { type CommittedFigures, short } from '../figures.ts';
import { svgPicture, svgText } from '../svg.ts';

/** The steps of the time line, as `startEvents.mjs` and the page name them. */
export const EVENTS = [
  { key: 'listens', label: 'HTTP listens' },
  { key: 'spawned', label: 'the browser starts' },
  { key: 'answers', label: 'the browser answers' },
  { key: 'navigates', label: 'the page is sent for' },
  { key: 'painted', label: 'the page is painted' },
] as const;

const WIDTH = 900;
/** Where the bars begin, and how much room is left behind them, in pixels. */
const LEFT = 130;
const RIGHT = 40;
const BAR = 34;
const [PLAIN_Y, OURS_Y, AXIS_Y] = [40, 96, 240];
const COLOURS = ['#33415c', '#4a6fa5', '#7fa1cc', '#b3c9e6', '#2e8b57'];

/** The steps of the start of the bundle to its first painted page, beside plain Chromium, as SVG. */
export function startPicture({ start }: CommittedFigures): string {
  const of = (key: string) => start?.figures.find((figure) => figure.key === key)?.median;
  const steps = EVENTS.flatMap(({ key, label }) => {
    const ms = of(key);
    return ms === undefined ? [] : [{ label, ms }];
  });
  const plain = of('plain') ?? 0;
  const end = Math.ceil(Math.max(plain, ...steps.map(({ ms }) => ms)) / 200) * 200;
  const x = (ms: number) => Math.round(LEFT + ((WIDTH - LEFT - RIGHT) * ms) / end);
  const bar = (from: number, to: number, y: number, colour: string) =>
    `<rect x="${x(from)}" y="${y}" width="${x(to) - x(from)}" height="${BAR}" fill="${colour}"/>`;
  const ours = steps.map(({ ms }, at) => bar(steps[at - 1]?.ms ?? 0, ms, OURS_Y, COLOURS[at]!));
  // Each label has a line of its own: steps may follow each other closely.
  const labels = steps.flatMap(({ label, ms }, at) => {
    const y = OURS_Y + BAR + 18 * (at + 1);
    const isRight = ms < end / 2;
    return [
      `<line x1="${x(ms)}" y1="${OURS_Y}" x2="${x(ms)}" y2="${y}" stroke="#222"/>`,
      svgText(x(ms) + (isRight ? 5 : -5), y, `${label}: ${short(ms)} ms`, isRight ? 'start' : 'end'),
    ];
  });
  const ticks = Array.from({ length: end / 200 + 1 }, (_, at) => at * 200).map((ms) =>
    svgText(x(ms), AXIS_Y + 20, `${short(ms)} ms`, 'middle'),
  );
  const title = 'From the start of the process to the first painted page';
  return svgPicture({ width: WIDTH, height: 270, title }, [
    svgText(8, PLAIN_Y + 22, 'plain Chromium'),
    bar(0, plain, PLAIN_Y, '#9a9a9a'),
    svgText(x(plain) - 8, PLAIN_Y + 22, `the page is painted: ${short(plain)} ms`, 'end'),
    svgText(8, OURS_Y + 22, 'the bundle'),
    ...ours,
    ...labels,
    `<line x1="${LEFT}" y1="${AXIS_Y}" x2="${WIDTH - RIGHT}" y2="${AXIS_Y}" stroke="#222"/>`,
    ...ticks,
  ]);
}
