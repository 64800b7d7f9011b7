import { useEffect } from 'preact/hooks';
import type { HealthState } from '../../../parts/health/contract.ts';
import { settingName, t, timeText } from '../language.ts';
import { useCall, useEvent } from '../ui/hooks.ts';

/** Settings that the panel has taken back, each with the reason. @param after asks again when it is another object */
export function Undone({ after }: { readonly after?: unknown }) {
  const health = useCall<HealthState>('health.state');
  const { reload } = health;
  useEvent('health', () => void reload());
  useEffect(() => {
    if (after !== undefined) void reload();
  }, [after, reload]);
  const undone = health.data?.undone ?? [];
  if (undone.length === 0) return null;
  return (
    <div class="banner wide" role="alert" data-testid="undone">
      <div class="grow">
        <strong>{t('undone')}</strong>
        <p class="hint">{t('undoneHint')}</p>
        <ul>
          {undone.map(({ setting, reason, at }) => (
            <li key={setting}>
              {settingName(setting)} <code class="key">{setting}</code>: {reason} ({timeText(at)})
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
