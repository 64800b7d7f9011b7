import type { ResultOf } from '../../../contract/commands.ts';
import { Pins } from '../../../parts/gpio/view.tsx';
import { Infrared } from '../../../parts/ir/view.tsx';
import { LedBar } from '../../../parts/led/view.tsx';
import { SerialMonitor, SerialTerminal } from '../../../parts/serial/view.tsx';
import { CommandLine } from '../../../parts/terminal/view.tsx';
import { UdpTerminal } from '../../../parts/udp/view.tsx';
import { hasText, t } from '../language.ts';
import { CallShown } from '../ui/callShown.tsx';
import { Card, EmptyState, Loading } from '../ui/card.tsx';
import { useCall } from '../ui/hooks.ts';
import { developerMode, useStore } from '../ui/store.ts';

type Part = ResultOf<'system.info'>['parts'][string];

/** What is connected to the board's pins, and its lights. */
export function Hardware() {
  return <WithParts>{(parts) => <Outputs {...parts} />}</WithParts>;
}

/** Serial ports, datagrams, and for developers the command line. */
export function Lines() {
  const isDeveloper = useStore(developerMode) === 'on';
  return (
    <WithParts>
      {({ names, isThere, isSimulated }) => {
        const ports = names.filter((name) => name.startsWith('serial:'));
        const simulated = ports.filter(isSimulated).map((name) => name.slice('serial:'.length));
        return (
          <>
            {ports.some(isThere) && (
              <>
                <SerialTerminal simulated={simulated} />
                <SerialMonitor />
              </>
            )}
            <UdpTerminal />
            {isDeveloper && <CommandLine />}
          </>
        );
      }}
    </WithParts>
  );
}

/** Each part of the board: whether it is there, and if not, why. */
export function Parts() {
  const info = useCall<ResultOf<'system.info'>>('system.info');
  return (
    <Card title={t('parts')} wide>
      <Loading of={info}>{({ parts }) => <PartList parts={parts} />}</Loading>
      <CallShown command="system.info" />
    </Card>
  );
}

interface PartsKnown {
  readonly names: readonly string[];
  isThere(name: string): boolean;
  isSimulated(name: string): boolean;
}

function WithParts({ children }: { children: (known: PartsKnown) => preact.ComponentChildren }) {
  const info = useCall<{ parts: Readonly<Record<string, Part>> }>('system.info');
  return (
    <Loading of={info}>
      {({ parts }) =>
        children({
          names: Object.keys(parts),
          isThere: (name) => parts[name] !== undefined && parts[name].state !== 'absent',
          isSimulated: (name) => parts[name]?.state === 'simulated',
        })
      }
    </Loading>
  );
}

function Outputs({ names, isThere, isSimulated }: PartsKnown) {
  const hasInfrared = names.some((name) => name.startsWith('ir:') && isThere(name));
  if (!isThere('gpio') && !isThere('led') && !hasInfrared)
    return <EmptyState icon="devices" words={t('noOutputs')} />;
  return (
    <>
      {isThere('gpio') && <Pins isSimulated={isSimulated('gpio')} />}
      {isThere('led') && <LedBar />}
      {hasInfrared && <Infrared />}
    </>
  );
}

const STATES = ['real', 'simulated', 'absent'] as const;

/** The parts of the panel: each with what tells it from others of its kind, one badge, and why it is not there. */
function PartList({ parts }: { parts: Readonly<Record<string, Part>> }) {
  const isDeveloper = useStore(developerMode) === 'on';
  const all = Object.entries(parts);
  const counts = STATES.map(
    (state) => [state, all.filter(([, part]) => part.state === state).length] as const,
  );
  return (
    <>
      <p class="hint" data-testid="parts-count">
        {counts
          .filter(([, count]) => count > 0)
          .map(([state, count]) => `${t(`part_is_${state}`)}: ${count}`)
          .join(' · ')}
      </p>
      <ul class="entries parts" data-testid="parts">
        {all.map(([name, { state, reason, driver, path }]) => {
          const rest = name.split(':').slice(1).join(':');
          const own = rest === partName(name) ? '' : rest;
          const notes = [
            ...(isDeveloper ? [name, driver] : []),
            ...(path === null || path === own ? [] : [path]),
            ...(state === 'absent' ? [reason ?? t('noReason')] : []),
          ];
          return (
            <li key={name}>
              <p class="grow">
                {partName(name)} {own}
                <span class="hint">{notes.join(' · ')}</span>
              </p>
              <span class={`badge ${state}`}>{t(`part_is_${state}`)}</span>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function partName(name: string): string {
  const word = `part_${name.split(':', 1)[0]}`;
  return hasText(word) ? t(word) : name;
}
