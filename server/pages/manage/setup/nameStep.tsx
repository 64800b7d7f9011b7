import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../language.ts';
import { TextField } from '../ui/textField.tsx';
import { useSetting } from './setting.ts';
import type { StepProps } from './step.ts';

/** How the panel is called. */
export function NameStep({ beforeNext }: StepProps) {
  const kept = useSetting('device.name');
  const [typed, setTyped] = useState<string>();
  const [mistake, setMistake] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const name = typed ?? String(kept.value ?? '');
  beforeNext(async () => {
    if (typed === undefined || typed === kept.value) return true;
    try {
      await kept.save(typed.trim());
      return true;
    } catch (error) {
      setMistake((error as Error).message);
      return false;
    }
  });
  useEffect(() => field.current?.focus(), [kept.isLoaded]);
  if (!kept.isLoaded) return <p class="hint">{t('loading')}</p>;
  return (
    <>
      <TextField
        input={field}
        label={t('name')}
        hint={t('nameHint')}
        value={name}
        onText={setTyped}
        testId="device-name"
        maxLength={63}
      />
      <p class="mistake" role="alert" data-testid="name-mistake">
        {mistake}
      </p>
    </>
  );
}
