import { h } from '../dom.ts';
import { call } from '../host.ts';
import { t } from '../language.ts';
import { attempt } from '../notice.ts';
import { section } from './section.ts';

const LEVELS = ['brightness', 'volume'] as const;

/** Brightness and volume, when the board has them. */
export async function displayCards(): Promise<HTMLElement[]> {
  const levels = await call('settingsPage.levels');
  const there = LEVELS.filter((name) => levels[name] !== null);
  if (there.length === 0) return [section(t('display'), h('p', { class: 'hint' }, t('noLevels')))];
  return there.map((name) => {
    const output = h('output', {}, `${levels[name]} %`);
    const slider = h('input', {
      type: 'range',
      min: name === 'brightness' ? '5' : '0',
      max: '100',
      value: String(levels[name]),
      'aria-label': t(name),
      'data-testid': name,
    });
    const draw = () => {
      const low = Number(slider.min);
      slider.style.setProperty('--level', `${((slider.valueAsNumber - low) * 100) / (100 - low)}%`);
      output.textContent = `${slider.value} %`;
    };
    slider.addEventListener('input', draw);
    slider.addEventListener('change', () =>
      attempt(() => call('settingsPage.setLevel', { [name]: slider.valueAsNumber })),
    );
    draw();
    return section(t(name), h('div', { class: 'slider' }, slider, output));
  });
}
