import type { ResultOf } from '../../../contract/commands.ts';
import { Pins } from '../../../parts/gpio/view.tsx';
import { LedBar } from '../../../parts/led/view.tsx';
import { SerialMonitor, SerialTerminal } from '../../../parts/serial/view.tsx';
import { CommandLine } from '../../../parts/terminal/view.tsx';
import { UdpTerminal } from '../../../parts/udp/view.tsx';
import { t } from '../language.ts';
import { CallShown } from '../ui/callShown.tsx';
import { Card, Loading } from '../ui/card.tsx';
import { useCall } from '../ui/hooks.ts';
import { Parts } from './parts.tsx';

type Part = ResultOf<'system.info'>['parts'][string];

/** What the board has, and each part to try. */
export function Hardware() {
  const info = useCall<ResultOf<'system.info'>>('system.info');
  return (
    <>
      <Card title={t('parts')} wide>
        <Loading of={info}>{({ parts }) => <Parts parts={parts} />}</Loading>
        <CallShown command="system.info" />
      </Card>
      {info.data !== undefined && <Tries parts={info.data.parts} />}
    </>
  );
}

function Tries({ parts }: { parts: Readonly<Record<string, Part>> }) {
  const isThere = (name: string) => parts[name] !== undefined && parts[name].state !== 'absent';
  const isSimulated = (name: string) => parts[name]?.state === 'simulated';
  const ports = Object.keys(parts).filter((name) => name.startsWith('serial:'));
  return (
    <>
      {isThere('gpio') && <Pins isSimulated={isSimulated('gpio')} />}
      {isThere('led') && <LedBar />}
      <UdpTerminal />
      {ports.some(isThere) && (
        <>
          <SerialTerminal simulated={ports.filter(isSimulated).map((name) => name.slice('serial:'.length))} />
          <SerialMonitor />
        </>
      )}
      <CommandLine />
    </>
  );
}
