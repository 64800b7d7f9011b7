import type { SettingsAnswer } from '../../../config/contract.ts';
import { call } from '../client/panel.ts';
import { t } from '../language.ts';
import { Card, Loading } from '../ui/card.tsx';
import { useCall, useEvery } from '../ui/hooks.ts';
import { notice } from '../ui/notice.tsx';
import { SettingRow } from './settingRow.tsx';

/** The panel announces no change of a setting, so what others change is read now and then, in milliseconds. */
const READ_EVERY_MS = 5_000;

interface SettingsCardProps {
  readonly title: string;
  readonly hint?: string;
  /** Keys of settings, or the beginning of keys, in their order; those that this panel lacks are left out. */
  readonly keys: readonly string[];
}

/** A few settings of one subject, beside what they act on. */
export function SettingsCard({ title, hint, keys }: SettingsCardProps) {
  const answer = useCall<SettingsAnswer>('settings.read');
  useEvery(READ_EVERY_MS, answer.reload);
  return (
    <Card title={title} wide class="settings">
      {hint !== undefined && <p class="hint">{hint}</p>}
      <Loading of={answer}>
        {({ settings, restartNeeded }) =>
          keys
            .flatMap((key) =>
              key.endsWith('.')
                ? Object.keys(settings).filter((each) => each.startsWith(key))
                : Object.keys(settings).filter((each) => each === key),
            )
            .map((key) => (
              <SettingRow
                key={key}
                name={key}
                entry={settings[key]!}
                needsRestart={restartNeeded.includes(key)}
                save={async (name, value) => {
                  await call('settings.change', { [name]: value });
                  notice(t('saved'));
                  await answer.reload();
                }}
              />
            ))
        }
      </Loading>
    </Card>
  );
}
