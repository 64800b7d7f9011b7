import type { ResultOf } from '../../../contract/commands.ts';
import { hasText, t } from '../language.ts';

type PartList = ResultOf<'system.info'>['parts'];

/** The parts of the panel in words: what is there, what is simulated, and why something is not there. */
export function Parts({ parts }: { parts: PartList }) {
  const all = Object.entries(parts);
  return (
    <>
      {all.every(([, { state }]) => state !== 'absent') && <p class="hint">{t('allThere')}</p>}
      <ul class="parts" data-testid="parts">
        {all.map(([name, part]) => (
          <li key={name} class={part.state}>
            <span>
              {partName(name)} <code class="key">{name}</code>
              <span class="hint">
                {part.state === 'absent' ? (part.reason ?? t('noReason')) : part.driver}
                {part.path !== null && ` ${part.path}`}
              </span>
            </span>
            <span class="state">{t(part.state)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function partName(name: string): string {
  const word = `part_${name.split(':', 1)[0]}`;
  return hasText(word) ? t(word) : name;
}
