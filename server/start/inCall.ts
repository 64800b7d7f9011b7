import type { Settings } from '../config/settings.ts';
import type { SipService } from '../intercom/calls/service.ts';

/** Whether the intercom has a call, or one rings: nothing restarts then by itself. */
export async function isInCall(settings: Pick<Settings, 'sip.enabled'>, sip: SipService): Promise<boolean> {
  if (!settings['sip.enabled']) return false;
  const { callStatus } = await sip.getStatus();
  return callStatus !== 'idle' && callStatus !== 'failed';
}
