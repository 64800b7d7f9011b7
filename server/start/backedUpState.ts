import { callsKind } from '../intercom/calls/callHistory.ts';
import { preferencesKind } from '../intercom/calls/preferences.ts';
import { setupKind } from '../kiosk/settingsPage/firstSetup.ts';
import { pinKind } from '../kiosk/settingsPage/pinLock.ts';
import { tokensKind } from '../parts/access/tokens.ts';
import type { BackedUpState } from '../parts/backup/contents.ts';
import { certificatesKind } from '../parts/certificates/service.ts';
import { ledKind } from '../parts/led/service.ts';
import { scheduleKind } from '../parts/sleep/service.ts';

/** The state files that make this panel this panel. */
export const backedUpState: BackedUpState = {
  open: [ledKind, scheduleKind, preferencesKind, callsKind, setupKind],
  // A pin that nobody has seen refused would be trust without `certificates.trust`, and without a yes at the panel.
  owners: [certificatesKind],
  secret: [pinKind, tokensKind],
};
