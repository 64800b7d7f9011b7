import { drawDigits } from './digits.ts';
import { placeAt } from './drift.ts';
import type { View } from './view.ts';

/** A time of day, in the words of a language. */
interface TimeWords {
  /** Hours and minutes, with what stands between. */
  readonly digits: string;
  /** AM or PM; empty where the day has 24 hours. */
  readonly half: string;
}

/** @param language as in `device.language` */
export function timeWords(date: Date, language: string): TimeWords {
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
    small.textContent = half;
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
