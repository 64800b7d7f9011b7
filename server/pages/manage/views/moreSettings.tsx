import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../client/panel.ts';
import { t } from '../language.ts';
import { Card, EmptyState } from '../ui/card.tsx';
import { settingHomes, settingPath } from '../ui/finder.ts';
import type { IconName } from '../ui/icons.tsx';
import { attempt, notice } from '../ui/notice.tsx';
import { route } from '../ui/route.ts';
import { useStore } from '../ui/store.ts';
import { SettingsCard } from './settingRow.tsx';

/** The settings of a view, folded away until a person, or an address that names one, opens them. */
export function MoreSettings({ path, title }: { path: string; title: string }) {
  const named = useStore(route).split('/')[2];
  const isNamed = named !== undefined && settingPath(named).startsWith(`${path}/`);
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      class="more-settings wide"
      data-testid="more-settings"
      open={isOpen || isNamed}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{title}</summary>
      {(isOpen || isNamed) && <SettingsCard title={title} keys={settingHomes[path] ?? []} />}
    </details>
  );
}

interface TurnedOffProps {
  readonly title: string;
  readonly icon: IconName;
  readonly words: string;
  /** What the button says, and the settings that it changes. */
  readonly action: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly onDone: () => unknown;
  /** It is on already, but for a restart. */
  readonly isWaiting?: boolean;
  readonly testId?: string;
  readonly children?: ComponentChildren;
}

/** What is off: why a person may want it, and the button that turns it on, with the restart where that needs one. */
export function TurnedOff({
  title,
  icon,
  words,
  action,
  settings,
  onDone,
  isWaiting,
  testId,
  children,
}: TurnedOffProps) {
  const [waits, setWaits] = useState(isWaiting ?? false);
  const turnOn = () =>
    attempt(async () => {
      await call('settings.change', settings);
      const { restartNeeded } = await call('settings.read');
      const needsRestart = Object.keys(settings).some((key) => restartNeeded.includes(key));
      setWaits(needsRestart);
      if (!needsRestart) {
        notice(t('saved'));
        await onDone();
      }
    });
  return (
    <Card title={title} wide>
      <EmptyState icon={icon} words={words} testId={testId}>
        {waits ? (
          // The bar over all views has the button.
          <p class="warm" role="status">
            {t('onAfterRestart')}
          </p>
        ) : (
          <button type="button" class="primary" data-testid="turn-on" onClick={() => void turnOn()}>
            {action}
          </button>
        )}
        {children}
      </EmptyState>
    </Card>
  );
}
