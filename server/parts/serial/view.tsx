import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError, call } from '../../pages/manage/client/panel.ts';
import { t } from '../../pages/manage/language.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, Field, Switch, TextField } from '../../pages/manage/ui/card.tsx';
import { Feed } from '../../pages/manage/ui/feed.tsx';
import { useParts } from '../../pages/manage/ui/hooks.ts';
import { attempt } from '../../pages/manage/ui/notice.tsx';
import type { TrafficEntry } from './contract.ts';

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

interface Entry {
  readonly id: number;
  readonly hex: string;
  readonly latin1: string;
  readonly isSent: boolean;
}

/** The most entries in the list. */
const KEPT = 500;
/** A read waits so long, in milliseconds: what is sent meanwhile waits for it. */
const READ_MS = 200;

interface LineOptions {
  readonly port: string;
  readonly baudRate: number;
  /** It is read from only while this is so, and closed then. */
  readonly isOpen: boolean;
}

/** What went over a serial line while it was open here. */
function useSerialLine({ port, baudRate, isOpen }: LineOptions) {
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  const [error, setError] = useState<CallError>();
  const lastId = useRef(0);
  const add = (hex: string, isSent: boolean, latin1 = latin1Of(hex)) => {
    const id = ++lastId.current;
    setEntries((old) => [...old, { id, hex, latin1, isSent }].slice(-KEPT));
  };
  useEffect(() => {
    if (!isOpen) return;
    let isEnded = false;
    setError(undefined);
    const read = async () => {
      while (!isEnded) {
        const { hex, data } = await call('serial.read', { port, baudRate, timeout: READ_MS });
        if (hex !== '') add(hex, false, data);
      }
    };
    const reading = read().catch((failure: unknown) => {
      if (!(failure instanceof CallError)) throw failure;
      if (!isEnded) setError(failure);
    });
    return () => {
      isEnded = true;
      void reading.then(() => call('serial.close', { port })).catch(() => undefined);
    };
  }, [isOpen, port, baudRate]);
  return { entries, error, add };
}

/** The traffic of the serial ports, of any caller: both directions, with time, as hex and as text. */
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
        <Feed<TrafficEntry> command="serial.monitor" params={params} textOf={textOf} draw={TrafficLine}>
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

function TrafficLine({ time, port, direction, hex }: TrafficEntry) {
  return (
    <div class={`line ${direction}`}>
      <time dateTime={time}>{time.slice(11, 23)}</time> <span class="place">{port}</span>{' '}
      <span class="level">{t(direction === 'sent' ? 'sentMark' : 'receivedMark')}</span>{' '}
      <span class="text">{spaced(hex)}</span> <span class="text">{visible(latin1Of(hex))}</span>
    </div>
  );
}

/** What a person may write at the end of each line that is sent. */
const lineEnds = { none: '', cr: '\r', lf: '\n', crlf: '\r\n' } as const;
type LineEnd = keyof typeof lineEnds;

/** How bytes are written and read. */
export type Writing = 'text' | 'hex';

/** The bytes of a text in UTF-8, as hex with a blank between bytes. */
function hexOf(text: string): string {
  return spaced(
    Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  );
}

/** Hex with a blank between bytes, in upper case. */
function spaced(hex: string): string {
  return (hex.replaceAll(' ', '').match(/../g) ?? []).join(' ').toUpperCase();
}

/** Bytes as text, with a dot for each that is no visible sign. @param latin1 one sign for each byte */
function visible(latin1: string): string {
  return latin1.replace(/[^\x20-\x7e\xa1-\xac\xae-\xff]/g, '·');
}

/** The hex of what a person wrote. */
function written(text: string, writing: Writing, end: LineEnd): string {
  return writing === 'hex' ? text.trim() : hexOf(text + lineEnds[end]);
}

/** The bytes as Latin-1 text. @param hex pairs of digits, blanks allowed */
function latin1Of(hex: string): string {
  const bytes = hex.replaceAll(' ', '').match(/../g) ?? [];
  return String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16)));
}
