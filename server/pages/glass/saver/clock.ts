/** A time of day, in the words of a language. */
interface TimeWords {
  /** Hours and minutes, with the sign between them. */
  readonly digits: string;
  /** AM or PM; empty where the day has 24 hours. */
  readonly half: string;
}

/** @param language as in `device.language` */
function timeWords(date: Date, language: string): TimeWords {
  const format = new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit' });
  const parts = format.formatToParts(date);
  const value = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  const half = value('dayPeriod');
  const hour = half === '' ? value('hour').padStart(2, '0') : value('hour');
  return { digits: `${hour}:${value('minute')}`, half };
}

function dateWords(date: Date, language: string): string {
  return new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long' }).format(date);
}

/** The time with AM or PM, as an element that screen readers read. */
export function timeElement(date: Date, language: string): HTMLElement {
  const { digits, half } = timeWords(date, language);
  const time = document.createElement('time');
  time.setAttribute('aria-label', `${digits} ${half}`.trim());
  time.setAttribute('role', 'img');
  time.append(drawDigits(digits));
  if (half !== '') {
    const small = document.createElement('span');
    small.append(drawLetters(half));
    time.append(small);
  }
  return time;
}

/** Calls back at the begin of each minute. @returns the function that ends it */
export function eachMinute(tick: () => void): () => void {
  let timer = 0;
  const wait = () => {
    const now = new Date();
    timer = setTimeout(run, 60_000 - (now.getSeconds() * 1_000 + now.getMilliseconds()) + 20);
  };
  const run = () => {
    tick();
    wait();
  };
  wait();
  return () => clearTimeout(timer);
}

/** A clock that is drawn once a minute and wanders over the screen, so that nothing burns in. */
export function clockView(root: HTMLElement, language: string): View {
  const face = document.createElement('div');
  face.className = 'clock';
  root.append(face);
  const draw = () => {
    const now = new Date();
    const day = document.createElement('p');
    day.textContent = dateWords(now, language);
    face.replaceChildren(timeElement(now, language), day);
    const { x, y } = placeAt(now.getTime() / 60_000);
    // 100% is the clock itself.
    face.style.transform = `translate(calc((100cqw - 100%) * ${x}), calc((100cqh - 100%) * ${y}))`;
  };
  draw();
  const stop = eachMinute(draw);
  return {
    end() {
      stop();
      face.remove();
    },
  };
}

const SVG = 'http://www.w3.org/2000/svg';

/** Lines of our own, because few panels have a thin font: each in a box of 60 by 100, the 1 in half of it. */
const DIGITS = [
  'M30 4C13 4 6 25 6 50C6 75 13 96 30 96C47 96 54 75 54 50C54 25 47 4 30 4Z',
  'M4 22C14 20 21 14 23 4V96',
  'M8 28C8 13 17 4 30 4C43 4 52 13 52 26C52 41 40 51 28 62C15 74 8 83 7 96H54',
  'M8 24C9 12 18 4 30 4C43 4 51 13 51 25C51 38 42 46 27 46C44 46 54 55 54 70C54 86 44 96 30 96C16 96 7 88 6 74',
  'M42 96V4L5 70H56',
  'M50 4H14L9 49C14 41 21 37 30 37C45 37 54 49 54 66C54 84 44 96 29 96C16 96 8 88 6 77',
  'M51 22C48 10 41 4 31 4C14 4 6 26 6 56C6 82 15 96 30 96C45 96 54 83 54 66C54 49 45 37 31 37C17 37 6 45 6 56',
  'M6 4H54C38 30 26 60 22 96',
  'M30 46C17 46 10 37 10 25C10 13 18 4 30 4C42 4 50 13 50 25C50 37 43 46 30 46ZM30 46C14 46 6 57 6 71C6 86 15 96 30 96C45 96 54 86 54 71C54 57 46 46 30 46Z',
  'M9 78C12 90 19 96 29 96C46 96 54 74 54 44C54 18 45 4 30 4C15 4 6 17 6 34C6 51 15 63 29 63C43 63 54 55 54 44',
] as const;
/** The letters of AM and PM, in the same lines. */
const LETTERS: Readonly<Record<string, string>> = {
  A: 'M4 96L30 4L56 96M14 64H46',
  M: 'M4 96V4L30 60L56 4V96',
  P: 'M8 96V4H32C46 4 54 14 54 28C54 42 46 52 32 52H8',
};
const BOX = 60;
const ONE = 30;
const COLON = 12;
const GAP = 15;

/**
 * Draws a time as lines.
 * @param text digits with a colon, or whatever the language puts between hours and minutes
 */
function drawDigits(text: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('aria-hidden', 'true');
  let x = 0;
  for (const character of text) {
    const digit = DIGITS[Number.parseInt(character, 10)];
    if (digit === undefined) svg.append(dot(x, 33), dot(x, 69));
    else svg.append(line(x, digit));
    const width = character === '1' ? ONE : BOX;
    x += (digit === undefined ? COLON : width) + GAP;
  }
  svg.setAttribute('viewBox', `0 0 ${x - GAP} 100`);
  return svg;
}

/** Draws AM or PM; another word is written. */
function drawLetters(word: string): Node {
  const letters = [...word].map((letter) => LETTERS[letter]);
  if (letters.includes(undefined)) return document.createTextNode(word);
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('viewBox', `0 0 ${letters.length * (BOX + GAP) - GAP} 100`);
  for (const [at, letter] of letters.entries()) svg.append(line(at * (BOX + GAP), letter!));
  return svg;
}

function line(x: number, d: string): SVGElement {
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', d);
  path.setAttribute('transform', `translate(${x} 0)`);
  return path;
}

function dot(x: number, y: number): SVGElement {
  const circle = document.createElementNS(SVG, 'circle');
  circle.setAttribute('cx', String(x + COLON / 2));
  circle.setAttribute('cy', String(y));
  circle.setAttribute('r', '3.4');
  return circle;
}

/** A place within the room there is: 0 is left or above, 1 right or below. */
interface Place {
  readonly x: number;
  readonly y: number;
}

/** Minutes from one edge to the other. They have no common divisor, so that the way covers the whole screen. */
const ACROSS = 29;
const DOWN = 17;
/** Stays free at the edges. */
const EDGE = 0.04;

/**
 * The place of the clock in a minute. It moves back and forth in small steps, and returns to the same place after 16
 * hours.
 * @param minute since any begin
 */
function placeAt(minute: number): Place {
  const n = Math.floor(minute);
  return { x: within(backAndForth(n, ACROSS)), y: within(backAndForth(n, DOWN)) };
}

function backAndForth(n: number, steps: number): number {
  const at = ((n % (2 * steps)) + 2 * steps) % (2 * steps);
  return (at <= steps ? at : 2 * steps - at) / steps;
}

function within(part: number): number {
  return EDGE + part * (1 - 2 * EDGE);
}

/** A saver that is up. */
export interface View {
  /** Takes it away and stops its timers. */
  end(): void;
}
