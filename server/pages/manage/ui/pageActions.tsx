import { call } from '../client/panel.ts';
import { t } from '../language.ts';
import { confirmed } from './dialog.tsx';
import { attempt } from './notice.tsx';

/** Loads the page again, restarts the panel. */
export function PageActions() {
  const reload = () => attempt(() => call('kiosk.reload'), t('reloaded'));
  return (
    <div class="row">
      <button type="button" data-testid="reload" onClick={() => void reload()}>
        {t('reload')}
      </button>
      <button type="button" class="danger" data-testid="reboot" onClick={() => void reboot()}>
        {t('reboot')}
      </button>
    </div>
  );
}

/** Restarts the panel, if the person is sure. */
export async function reboot(): Promise<void> {
  if (await confirmed(t('rebootSure'), t('reboot')))
    await attempt(() => call('system.reboot'), t('rebooting'));
}
