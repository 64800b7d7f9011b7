import { useEffect, useState } from 'preact/hooks';
import type { PageStatus } from '../../../kiosk/settingsPage/contract.ts';
import { CallError, call } from '../client/panel.ts';
import { t } from '../language.ts';
import { NewPinPad, PinPad } from './pinPad.tsx';

/** The pad before everything else on the glass, until the PIN is right, or chosen. */
export function LockScreen({ status, onOpen }: { status: PageStatus; onOpen: () => void }) {
  if (status.pin !== 'missing') return <UnlockPad first={status} onOpen={onOpen} />;
  const save = async (pin: string) => void (await call('settingsPage.setPin', { pin }));
  return <NewPinPad save={save} onDone={onOpen} />;
}

function UnlockPad({ first, onOpen }: { first: PageStatus; onOpen: () => void }) {
  const [message, setMessage] = useState('');
  const [until, setUntil] = useState(() => performance.now() + first.waitSeconds * 1_000);
  const [left, setLeft] = useState(first.waitSeconds);
  useEffect(() => {
    const tell = () => setLeft(Math.max(0, Math.ceil((until - performance.now()) / 1_000)));
    tell();
    const timer = setInterval(tell, 250);
    return () => clearInterval(timer);
  }, [until]);
  const unlock = async (pin: string) => {
    try {
      await call('settingsPage.unlock', { pin });
      onOpen();
    } catch (error) {
      const isWrong = error instanceof CallError && error.code === 'FORBIDDEN';
      setMessage(isWrong ? t('wrongPin') : (error as Error).message);
      const { waitSeconds } = await call('settingsPage.status');
      setUntil(performance.now() + waitSeconds * 1_000);
    }
  };
  return (
    <PinPad
      title={t('unlockTitle')}
      hint={t('unlockHint')}
      message={left > 0 ? t('waitPin', { seconds: left }) : message}
      isLocked={left > 0}
      onPin={(pin) => void unlock(pin)}
    />
  );
}
