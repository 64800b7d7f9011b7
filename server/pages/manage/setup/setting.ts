import type { SettingsAnswer } from '../../../config/contract.ts';
import { call } from '../client/panel.ts';
import { useCall } from '../ui/hooks.ts';

/** A setting as the wizard knows it. */
interface Known {
  readonly isLoaded: boolean;
  readonly value: unknown;
  /** @throws CallError with the panel's sentence */
  readonly save: (value: unknown) => Promise<void>;
}

/** One setting. */
export function useSetting(key: string): Known {
  const answer = useCall<SettingsAnswer>('settings.read');
  const entry = answer.data?.settings[key];
  return {
    isLoaded: answer.data !== undefined,
    value: entry !== undefined && 'value' in entry ? entry.value : undefined,
    save: async (value) => void (await call('settings.change', { [key]: value })),
  };
}
