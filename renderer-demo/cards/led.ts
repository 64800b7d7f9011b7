import type { LedState } from '../../preload/container.d.ts';
import { ask, container } from '../container.ts';
import { CardStatus, element, setAbsent } from '../dom.ts';
import { latestOnly } from '../latestOnly.ts';

type Color = Pick<LedState, 'red' | 'green' | 'blue'>;

const COLORS = ['red', 'green', 'blue'] as const;

/** The LED bar: a switch, five ready colours and three sliders. Follows changes made elsewhere. */
export function startLedCard(): void {
  const status = new CardStatus('led');
  const onSwitch = element('led-switch', HTMLInputElement);
  const preview = element('led-preview', HTMLElement);
  const sliders = COLORS.map((color) => element(`led-${color}`, HTMLInputElement));
  const values = COLORS.map((color) => element(`led-${color}-value`, HTMLOutputElement));
  const swatches = document.querySelectorAll<HTMLButtonElement>('.swatch');
  let last: LedState = { on: false, red: 0, green: 0, blue: 0 };

  // Dragging gives many values: while the panel is busy, only the newest waits.
  const sendColor = latestOnly(async (color: Color) => {
    const answer = await status.attempt(() => ask({ action: 'ledColor', ...color }));
    show(answer?.state ?? last);
  });

  // The answer to an earlier press must not turn the switch back under a finger that is quicker.
  const sendSwitch = latestOnly(async (action: 'ledOn' | 'ledOff') => {
    const answer = await status.attempt(() => ask({ action }));
    show(answer?.state ?? last, !sendSwitch.isWaiting);
  });
  onSwitch.addEventListener('change', () => sendSwitch(onSwitch.checked ? 'ledOn' : 'ledOff'));

  for (const slider of sliders) {
    slider.addEventListener('input', () => {
      const [red, green, blue] = sliders.map((each) => each.valueAsNumber) as [number, number, number];
      sendColor({ red, green, blue });
      showColor({ red, green, blue });
    });
  }

  for (const swatch of swatches) {
    const [red, green, blue] = swatch.value.split(' ').map(Number) as [number, number, number];
    swatch.style.setProperty('--swatch', `rgb(${red} ${green} ${blue})`);
    swatch.addEventListener('click', () => {
      sendColor({ red, green, blue });
      showColor({ red, green, blue });
    });
  }

  function show(state: LedState, isSettled = !sendSwitch.isBusy): void {
    last = state;
    if (isSettled) onSwitch.checked = state.on;
    preview.classList.toggle('on', state.on);
    // A slider must not jump back while a finger moves it.
    if (!sendColor.isBusy) showColor(state);
  }

  function showColor(color: Color): void {
    COLORS.forEach((name, index) => {
      sliders[index]!.valueAsNumber = color[name];
      sliders[index]!.style.setProperty('--level', `${color[name] / 2.55}%`);
      values[index]!.value = String(color[name]);
    });
    const css = `${color.red} ${color.green} ${color.blue}`;
    preview.style.setProperty('--led', `rgb(${css})`);
    for (const swatch of swatches) swatch.setAttribute('aria-pressed', String(swatch.value === css));
  }

  container.on('snapshot', ({ led }) => {
    if (led) show(led);
    else setAbsent('led', 'This board has no LED bar.');
  });
  container.on('led', (state) => show(state));
}
