import { type CommittedFigures, short } from '../figures.ts';
import { svgPicture, svgText } from '../svg.ts';

/** The programs whose cost is compared, as their rows and lines are named. */
export const PROGRAMS = [
  { key: 'ours', label: 'Faceplate' },
  { key: 'go2rtc', label: 'go2rtc 1.9.14' },
  { key: 'mediaMtx', label: 'MediaMTX 1.20.0' },
] as const;

/** Viewers at the same time, each of a camera of its own. */
export const VIEWERS = [1, 2, 4, 8] as const;

/** The points at which CPU is measured. */
export const POINTS = [
  ...VIEWERS.map((viewers) => ({
    key: `${viewers}`,
    label: viewers === 1 ? '1 viewer' : `${viewers} viewers`,
  })),
  { key: '4k', label: '1 viewer, 4K' },
] as const;

const WIDTH = 900;
const HEIGHT = 360;
/** The field of the lines, and behind it that of the single points, in pixels. */
const [LEFT, RIGHT, TOP, BOTTOM] = [70, 640, 50, 310];
const BARS = 700;
const BAR = 40;
const STEPS = 5;
const COLOURS = ['#2e8b57', '#4a6fa5', '#b5762a'];

/** CPU over viewers of Faceplate and both peers, and beside it that of one camera of 4K, as SVG. */
export function videoPicture({ video }: CommittedFigures): string {
  const of = (key: string) => video?.figures.find((figure) => figure.key === key)?.median;
  const programs = PROGRAMS.map(({ key, label }, at) => ({
    label,
    colour: COLOURS[at]!,
    line: VIEWERS.flatMap((viewers) => {
      const cpu = of(`${key}${viewers}`);
      return cpu === undefined ? [] : [{ viewers, cpu }];
    }),
    fourK: of(`${key}4k`),
  }));
  const values = programs.flatMap(({ line, fourK }) => [...line.map(({ cpu }) => cpu), fourK ?? 0]);
  const hasNone = programs.every(({ line, fourK }) => line.length === 0 && fourK === undefined);
  const step = stepOf(Math.max(1, ...values));
  const x = (viewers: number) => Math.round(LEFT + ((RIGHT - LEFT) * viewers) / VIEWERS.at(-1)!);
  const y = (cpu: number) => Math.round(BOTTOM - ((BOTTOM - TOP) * cpu) / (step * STEPS));
  const grid = Array.from({ length: STEPS + 1 }, (_, at) => at * step).flatMap((cpu) => [
    `<line x1="${LEFT}" y1="${y(cpu)}" x2="${WIDTH - 20}" y2="${y(cpu)}" stroke="${cpu === 0 ? '#222' : '#ddd'}"/>`,
    svgText(LEFT - 8, y(cpu) + 5, `${short(cpu)} %`, 'end'),
  ]);
  const lines = programs.flatMap(({ label, colour, line }, at) => {
    const look = ` fill="${colour}" font-weight="bold"`;
    const points = line.map(({ viewers, cpu }) => `${x(viewers)},${y(cpu)}`).join(' ');
    return [
      svgText(LEFT + 12 + 190 * at, 30, label, 'start', look),
      ...(line.length < 2
        ? []
        : [`<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="3"/>`]),
      ...line.map(({ viewers, cpu }) => `<circle cx="${x(viewers)}" cy="${y(cpu)}" r="5" fill="${colour}"/>`),
    ];
  });
  const bars = programs.flatMap(({ colour, fourK }, at) => {
    if (fourK === undefined) return [];
    const left = BARS + at * (BAR + 15);
    return [
      `<rect x="${left}" y="${y(fourK)}" width="${BAR}" height="${BOTTOM - y(fourK)}" fill="${colour}"/>`,
      svgText(left + BAR / 2, y(fourK) - 6, `${short(fourK)} %`, 'middle'),
    ];
  });
  const title = 'CPU of one core over viewers, each of a camera of its own';
  return svgPicture({ width: WIDTH, height: HEIGHT, title }, [
    ...grid,
    ...lines,
    ...VIEWERS.map((viewers) => svgText(x(viewers), BOTTOM + 20, `${viewers}`, 'middle')),
    svgText(
      (LEFT + RIGHT) / 2,
      BOTTOM + 40,
      'viewers, each of another camera of 4 Mbit/s with sound',
      'middle',
    ),
    ...bars,
    svgText(BARS + 75, BOTTOM + 20, POINTS.at(-1)!.label, 'middle'),
    ...(hasNone ? [svgText((LEFT + RIGHT) / 2, (TOP + BOTTOM) / 2, 'not measured yet', 'middle')] : []),
  ]);
}

/** The round number between two lines of the grid, so that `STEPS` of them reach the largest value. */
function stepOf(largest: number): number {
  const least = largest / STEPS;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 2.5, 5, 10].find((factor) => factor * power >= least)!;
}
