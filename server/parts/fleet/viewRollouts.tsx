import { useEffect, useRef, useState } from 'preact/hooks';
import type { ResultOf } from '../../contract/commands.ts';
import { call, type Params } from '../../pages/manage/client/panel.ts';
import { t, timeText } from '../../pages/manage/language.ts';
import { Card, EmptyState, Facts, Loading } from '../../pages/manage/ui/card.tsx';
import { confirmed } from '../../pages/manage/ui/dialog.tsx';
import { useCall, useEvent } from '../../pages/manage/ui/hooks.ts';
import { attempt } from '../../pages/manage/ui/notice.tsx';
import type { RolloutPanel, RolloutProgress } from './contract.ts';
import { leftOf } from './viewFacts.ts';
import { keptParams } from './viewRollout.tsx';

/** Steps that come together are read once, in milliseconds. */
const READ_AFTER_MS = 300;

const STATES = ['failed', 'sent', 'proving', 'waiting', 'offline', 'healthy'] as const;

type Summary = ResultOf<'fleet.rollouts'>['rollouts'][number];

interface RolloutsProps {
  readonly rollouts: readonly Summary[];
  readonly onAgain: (ids: readonly string[], command: Summary['command'], params: Params | undefined) => void;
}

/** The roll-outs of this panel, the newest one open. */
export function Rollouts({ rollouts, onAgain }: RolloutsProps) {
  const [chosen, setChosen] = useState<string>();
  const newest = rollouts[0]?.id;
  // A new one is what a person wants to see.
  useEffect(() => setChosen(undefined), [newest]);
  const id = chosen ?? newest;
  return (
    <Card title={t('rollouts')} wide>
      {rollouts.length === 0 && <EmptyState icon="fleet" words={t('rolloutNone')} />}
      {id !== undefined && <Course key={id} id={id} onAgain={onAgain} />}
      {rollouts.length > 1 && (
        <>
          <h3>{t('rolloutBefore')}</h3>
          <ul class="entries" data-testid="rollouts">
            {rollouts
              .filter((one) => one.id !== id)
              .map((one) => (
                <li key={one.id}>
                  <div class="grow">
                    <strong>{t(`rollout_${one.command}`)}</strong>
                    <span class={`badge ${one.state === 'done' ? 'good' : 'warm'}`}>
                      {t(`rollout_${one.state}`)}
                    </span>
                    <p class="hint">{timeText(one.startedAt)}</p>
                  </div>
                  <button type="button" onClick={() => setChosen(one.id)}>
                    {t('rolloutShow')}
                  </button>
                </li>
              ))}
          </ul>
        </>
      )}
    </Card>
  );
}

interface CourseProps {
  readonly id: string;
  readonly onAgain: RolloutsProps['onAgain'];
}

/** One roll-out from its first panel to its last, as it proceeds. */
function Course({ id, onAgain }: CourseProps) {
  const progress = useCall<RolloutProgress>('fleet.progress', { id });
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEvent('rollout', (event) => {
    if ((event as { id: string }).id !== id || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      void progress.reload();
    }, READ_AFTER_MS);
  });
  const stop = async () => {
    if (!(await confirmed(t('rolloutStopSure'), t('rolloutStop')))) return;
    await attempt(() => call('fleet.stop', { id }), t('rolloutStopped'));
    await progress.reload();
  };
  return (
    <Loading of={progress}>
      {(rollout) => {
        const { state, reason, command, startedAt, endedAt, panels } = rollout;
        const ended = panels.filter((one) => ['healthy', 'failed', 'offline'].includes(one.state)).length;
        const left = leftOf(rollout);
        return (
          <section aria-label={t('rolloutCourse')} data-testid="course">
            <Facts
              rows={[
                [t('rolloutWhat'), t(`rollout_${command}`)],
                [t('rolloutState'), <strong data-testid="course-state">{t(`rollout_${state}`)}</strong>],
                [t('rolloutReason'), reason],
                [t('rolloutStartedAt'), timeText(startedAt)],
                [t('rolloutEndedAt'), endedAt === null ? null : timeText(endedAt)],
              ]}
            />
            <div class="row progress">
              <progress aria-label={t('rolloutCourse')} value={ended} max={panels.length} />
              <span>{t('rolloutEnded', { ended, all: panels.length })}</span>
            </div>
            <Counted panels={panels} />
            <div class="row">
              {state === 'running' && (
                <button type="button" class="danger" data-testid="course-stop" onClick={() => void stop()}>
                  {t('rolloutStop')}
                </button>
              )}
              {state !== 'running' && left.length > 0 && (
                <button
                  type="button"
                  data-testid="course-again"
                  onClick={() => onAgain(left, command, keptParams(id))}
                >
                  {t('rolloutAgain', { count: left.length })}
                </button>
              )}
            </div>
          </section>
        );
      }}
    </Loading>
  );
}

/** The panels by state, those first that a person has to look at. */
function Counted({ panels }: { panels: readonly RolloutPanel[] }) {
  const byState = Map.groupBy(panels, ({ state }) => state);
  return (
    <>
      {STATES.filter((state) => byState.has(state)).map((state) => {
        const those = byState.get(state)!;
        return (
          <details key={state} open={state === 'failed'} data-testid={`course-${state}`}>
            <summary class={state === 'failed' ? 'warm' : ''}>
              {t(`rollout_${state}`)}: {those.length}
            </summary>
            <ul>
              {those.map(({ id, reason }) => (
                <li key={id}>
                  <code class="key">{id}</code> {reason}
                </li>
              ))}
            </ul>
          </details>
        );
      })}
    </>
  );
}
