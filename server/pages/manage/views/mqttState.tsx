import type { ResultOf } from '../../../contract/commands.ts';
import { t } from '../language.ts';
import { useCall, useEvery } from '../ui/hooks.ts';

const READ_EVERY_MS = 3_000;

/** Whether the panel is connected to its broker, and what is wrong, in the panel's own words. */
export function MqttState() {
  const info = useCall<ResultOf<'system.info'>>('system.info');
  useEvery(READ_EVERY_MS, info.reload);
  const mqtt = info.data?.mqtt;
  if (mqtt === undefined) return null;
  const { state, reason, id } = mqtt;
  return (
    <p class={reason === null ? 'hint' : 'warm'} data-testid="mqtt-state" aria-live="polite">
      {t(`mqtt_${state}`, { id })}
      {reason !== null && ` ${reason}`}
    </p>
  );
}
