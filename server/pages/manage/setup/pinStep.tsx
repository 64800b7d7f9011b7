import { call } from '../client/panel.ts';
import { t } from '../language.ts';
import { NewPinPad } from '../ui/pinPad.tsx';
import type { StepProps } from './step.ts';

/** The PIN, now or later. */
export function PinStep({ status, next }: StepProps) {
  if (status.pin === 'held') return <p>{t('pinHeld')}</p>;
  if (status.pin === 'set') return <p data-testid="pin-there">{t('pinThere')}</p>;
  return (
    <>
      <p class="hint">{t('pinLater')}</p>
      <NewPinPad save={async (pin) => void (await call('settingsPage.setPin', { pin }))} onDone={next} />
    </>
  );
}
