import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError, call } from '../../pages/manage/client/panel.ts';
import { latin1Of } from './viewBytes.ts';

interface Entry {
  readonly id: number;
  readonly hex: string;
  readonly latin1: string;
  readonly isSent: boolean;
}

/** How many entries are kept. */
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
export function useSerialLine({ port, baudRate, isOpen }: LineOptions) {
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
