import { useState } from 'preact/hooks';
import { t } from '../../pages/manage/language.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, Switch } from '../../pages/manage/ui/card.tsx';
import { Feed } from '../../pages/manage/ui/feed.tsx';
import { useParts } from '../../pages/manage/ui/hooks.ts';
import type { TrafficEntry } from './contract.ts';
import { latin1Of, spaced, visible } from './viewBytes.ts';

/** What goes over the serial ports, whoever sends it: both directions, with time, as hex and as text. */
export function SerialMonitor() {
  const ports = useParts().serial ?? [];
  const [port, setPort] = useState('');
  const [isOpen, setOpen] = useState(false);
  const params = port === '' ? {} : { port };
  return (
    <Card title={t('serialMonitor')} wide>
      <p class="hint">{t('serialMonitorHint')}</p>
      <div class="row">
        <div class="check">
          <Switch label={t('lookOn')} isOn={isOpen} testId="monitor-on" onChange={setOpen} /> {t('lookOn')}
        </div>
        <CallShown command="serial.monitor" params={params} />
      </div>
      {isOpen && (
        <Feed<TrafficEntry> command="serial.monitor" params={params} textOf={textOf} draw={Line}>
          <select
            aria-label={t('port')}
            data-testid="monitor-port"
            value={port}
            onChange={({ currentTarget }) => setPort(currentTarget.value)}
          >
            <option value="">{t('allPorts')}</option>
            {ports.map(({ port: name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </Feed>
      )}
    </Card>
  );
}

function textOf({ time, port, direction, hex }: TrafficEntry): string {
  return `${time} ${port} ${direction} ${spaced(hex)} ${visible(latin1Of(hex))}`;
}

function Line({ time, port, direction, hex }: TrafficEntry) {
  return (
    <div class={`line ${direction}`}>
      <time dateTime={time}>{time.slice(11, 23)}</time> <span class="place">{port}</span>{' '}
      <span class="level">{t(direction === 'sent' ? 'sentMark' : 'receivedMark')}</span>{' '}
      <span class="text">{spaced(hex)}</span> <span class="text">{visible(latin1Of(hex))}</span>
    </div>
  );
}
