import type { SettingsAnswer } from '../../../contract/settings.ts';
import { call } from '../client/panel.ts';
import { type Loaded, useCall } from '../ui/hooks.ts';

/** A setting as the wizard knows it. */
interface Known extends Pick<Loaded<SettingsAnswer>, 'error'> {
  /** Whether the settings were read, and have it. */
  readonly isThere: boolean;
  readonly isLoaded: boolean;
  readonly value: unknown;
  /** @throws CallError with the panel's sentence */
  readonly save: (value: unknown) => Promise<void>;
}

/** One setting, which this panel may not have. */
export function useSetting(key: string): Known {
  const answer = useCall<SettingsAnswer>('settings.read');
  const entry = answer.data?.settings[key];
  return {
    isThere: entry !== undefined,
    isLoaded: answer.data !== undefined,
    error: answer.error,
    value: entry !== undefined && 'value' in entry ? entry.value : undefined,
    save: async (value) => void (await call('settings.change', { [key]: value })),
  };
}
