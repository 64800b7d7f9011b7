import { call } from '../client/panel.ts';
import { t } from '../language.ts';

/** Where the fingers of a hand lie, on 24 by 24. */
const FINGERS = [
  [4, 15],
  [8, 7],
  [12.5, 5],
  [17, 7],
  [20.5, 11],
] as const;

/** How the settings are opened, as a picture and in words. */
export function FiveFingers() {
  return (
    <div class="five-fingers" data-testid="five-fingers">
      <svg viewBox="0 0 24 20" aria-hidden="true">
        {FINGERS.map(([x, y]) => (
          <g key={x}>
            <circle class="ring" cx={x} cy={y} r="2.4" />
            <circle cx={x} cy={y} r="1.5" />
          </g>
        ))}
      </svg>
      <p class="big">{t('fiveFingers')}</p>
      <p class="hint">{t('fiveFingersHint')}</p>
    </div>
  );
}

/** Said once over the first picture of a project; it goes by itself, too. */
export function Hint() {
  return (
    <main class="wizard hint-page" data-testid="hint">
      <div class="step">
        <FiveFingers />
      </div>
      <footer>
        <button
          type="button"
          class="primary"
          data-testid="hint-ok"
          onClick={() => void call('settingsPage.close')}
        >
          {t('ok')}
        </button>
      </footer>
    </main>
  );
}
