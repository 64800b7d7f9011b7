import type { PageStatus } from '../../contract/settingsPage.ts';
import { CallError, call } from './host.ts';
import { t } from './language.ts';
import { PinPad } from './pinPad.ts';

/** Shows the pad in `place` until the page is unlocked, or `signal` aborts. */
export function askForPin(place: HTMLElement, status: PageStatus, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      removeEventListener('keydown', pad.onKey);
      clearInterval(countdown);
      resolve();
    };
    const pad = status.pin === 'missing' ? newPinPad(firstPin, done) : unlockPad(done);
    let countdown = 0;
    addEventListener('keydown', pad.onKey);
    signal.addEventListener('abort', done);
    place.replaceChildren(pad.element);
    wait(status.waitSeconds);

    async function firstPin(pin: string): Promise<void> {
      await call('settingsPage.setPin', { pin });
    }

    function unlockPad(onDone: () => void): PinPad {
      const made = new PinPad(t('unlockTitle'), t('unlockHint'), async (pin) => {
        try {
          await call('settingsPage.unlock', { pin });
          onDone();
        } catch (error) {
          const isWrong = error instanceof CallError && error.code === 'FORBIDDEN';
          made.ask(t('unlockTitle'), isWrong ? t('wrongPin') : (error as Error).message);
          if (!signal.aborted) wait((await call('settingsPage.status')).waitSeconds);
        }
      });
      return made;
    }

    function wait(seconds: number): void {
      clearInterval(countdown);
      if (seconds === 0) return;
      const until = performance.now() + seconds * 1_000;
      const tell = () => {
        const left = Math.ceil((until - performance.now()) / 1_000);
        if (left <= 0) clearInterval(countdown);
        pad.lock(left > 0, left > 0 ? t('waitPin', { seconds: left }) : '');
      };
      countdown = window.setInterval(tell, 250);
      tell();
    }
  });
}

/** A pad that asks for a new PIN twice. @param save stores it */
export function newPinPad(save: (pin: string) => Promise<void>, onDone: () => void): PinPad {
  let first = '';
  const pad = new PinPad(t('setPinTitle'), t('setPinHint'), async (pin) => {
    if (first === '') {
      first = pin;
      pad.ask(t('repeatPin'));
    } else if (first !== pin) {
      first = '';
      pad.ask(t('setPinTitle'), t('pinsDiffer'));
    } else {
      try {
        await save(pin);
        onDone();
      } catch (error) {
        first = '';
        pad.ask(t('setPinTitle'), (error as Error).message);
      }
    }
  });
  return pad;
}
