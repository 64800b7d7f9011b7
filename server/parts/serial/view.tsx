import { useEffect, useState } from 'preact/hooks';
import { call } from '../../pages/manage/client/panel.ts';
import { t } from '../../pages/manage/language.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, Field, Switch } from '../../pages/manage/ui/card.tsx';
import { useParts } from '../../pages/manage/ui/hooks.ts';
import { attempt } from '../../pages/manage/ui/notice.tsx';
import { TextField } from '../../pages/manage/ui/textField.tsx';
import { type LineEnd, lineEnds, spaced, visible, type Writing, written } from './viewBytes.ts';
import { useSerialLine } from './viewLine.tsx';

const BAUD_RATES = [300, 1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400];

/** A terminal for one of the serial ports. @param simulated names of ports whose other end can be played */
export function SerialTerminal({ simulated }: { simulated: readonly string[] }) {
  const ports = useParts().serial ?? [];
  const [chosen, setPort] = useState<string>();
  const [baudRate, setBaudRate] = useState(9600);
  const port = chosen ?? ports[0]?.port;
  if (port === undefined) return null;
  return (
    <Card title={t('serialTerminal')} wide>
      <div class="row">
        <Field label={t('port')}>
          <select
            data-testid="serial-port"
            value={port}
            onChange={({ currentTarget }) => setPort(currentTarget.value)}
          >
            {ports.map(({ port: name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </Field>
        <Field label={t('baudRate')}>
          <select
            data-testid="serial-baud"
            value={baudRate}
            onChange={({ currentTarget }) => setBaudRate(Number(currentTarget.value))}
          >
            {BAUD_RATES.map((rate) => (
              <option key={rate}>{rate}</option>
            ))}
          </select>
        </Field>
        <p class="hint" data-testid="serial-state">
          {t(`line_${ports.find((one) => one.port === port)?.state ?? 'closed'}`)}
        </p>
      </div>
      <Line
        key={`${port} ${baudRate}`}
        port={port}
        baudRate={baudRate}
        isSimulated={simulated.includes(port)}
      />
    </Card>
  );
}

interface LineProps {
  readonly port: string;
  readonly baudRate: number;
  readonly isSimulated: boolean;
}

function Line({ port, baudRate, isSimulated }: LineProps) {
  const [isOpen, setOpen] = useState(false);
  const [writing, setWriting] = useState<Writing>('text');
  const { entries, error, add } = useSerialLine({ port, baudRate, isOpen });
  useEffect(() => {
    if (error !== undefined) setOpen(false);
  }, [error]);
  return (
    <>
      <div class="row">
        <div class="check">
          <Switch label={t('listen')} isOn={isOpen} testId="serial-listen" onChange={setOpen} /> {t('listen')}
        </div>
        <CallShown command="serial.read" params={{ port, baudRate, timeout: 1_000 }} />
        <CallShown command="serial.close" params={{ port }} />
      </div>
      {error !== undefined && (
        <p class="mistake" role="alert">
          {error.message}
        </p>
      )}
      <ol class="lines terminal" aria-label={t('traffic')} data-testid="serial-lines">
        {entries.length === 0 && <li class="hint">{t('noEntries')}</li>}
        {entries.map(({ id, hex, latin1, isSent }) => (
          <li key={id} class={isSent ? 'sent' : 'received'}>
            <span class="level">{isSent ? t('sentMark') : t('receivedMark')}</span>{' '}
            {writing === 'hex' ? spaced(hex) : visible(latin1)}
          </li>
        ))}
      </ol>
      <Sender
        port={port}
        baudRate={baudRate}
        writing={writing}
        onWriting={setWriting}
        onSent={(hex) => add(hex, true)}
        isSimulated={isSimulated}
      />
    </>
  );
}

interface SenderProps extends LineProps {
  readonly writing: Writing;
  readonly onWriting: (writing: Writing) => void;
  readonly onSent: (hex: string) => void;
}

function Sender({ port, baudRate, writing, onWriting, onSent, isSimulated }: SenderProps) {
  const [text, setText] = useState('');
  const [end, setEnd] = useState<LineEnd>('none');
  const hex = written(text, writing, end);
  const send = async () => {
    if (await attempt(() => call('serial.write', { port, baudRate, hex }))) onSent(hex);
  };
  const params = { part: 'serial', port, hex } as const;
  return (
    <>
      <div class="row">
        <TextField label={t('toSend')} value={text} onText={setText} testId="serial-text" />
        <WritingChoice writing={writing} onWriting={onWriting} testId="serial-writing" />
        {writing === 'text' && (
          <Field label={t('lineEnd')}>
            <select
              data-testid="serial-end"
              value={end}
              onChange={({ currentTarget }) => setEnd(currentTarget.value as LineEnd)}
            >
              {(Object.keys(lineEnds) as LineEnd[]).map((one) => (
                <option key={one} value={one}>
                  {t(`end_${one}`)}
                </option>
              ))}
            </select>
          </Field>
        )}
      </div>
      <div class="row">
        <button type="button" class="primary" data-testid="serial-send" onClick={() => void send()}>
          {t('send')}
        </button>
        {isSimulated && (
          <button
            type="button"
            data-testid="serial-peer"
            onClick={() => void attempt(() => call('system.simulate', params))}
          >
            {t('peerSends')}
          </button>
        )}
      </div>
      <CallShown command="serial.write" params={{ port, baudRate, hex }} />
      {isSimulated && <CallShown command="system.simulate" params={params} />}
    </>
  );
}

interface WritingChoiceProps {
  readonly writing: Writing;
  readonly onWriting: (writing: Writing) => void;
  readonly testId: string;
}

/** Whether bytes are written as text or as hex. */
export function WritingChoice({ writing, onWriting, testId }: WritingChoiceProps) {
  return (
    <Field label={t('writing')}>
      <select
        data-testid={testId}
        value={writing}
        onChange={({ currentTarget }) => onWriting(currentTarget.value as Writing)}
      >
        <option value="text">{t('asText')}</option>
        <option value="hex">{t('asHex')}</option>
      </select>
    </Field>
  );
}
