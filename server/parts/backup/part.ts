import { SettingsBackup, type SettingsPlan } from '../../config/settingsBackup.ts';
import { isOwner } from '../../contract/access.ts';
import { callsKind } from '../../intercom/calls/callHistory.ts';
import { preferencesKind } from '../../intercom/calls/preferences.ts';
import { setupKind } from '../../kiosk/settingsPage/firstSetup.ts';
import { pinKind } from '../../kiosk/settingsPage/pinLock.ts';
import { tokensKind } from '../access/tokens.ts';
import type { AuthorizedCall } from '../callContext.ts';
import { certificatesKind } from '../certificates/service.ts';
import { ledKind } from '../led/service.ts';
import { type Core, definePart } from '../part.ts';
import type { ProjectsService } from '../projects/service.ts';
import { scheduleKind } from '../sleep/service.ts';
import type { BackedUpState } from './contents.ts';
import { backupCommands } from './contract.ts';
import { ResetService } from './reset.ts';
import { BackupService } from './service.ts';

/** The state files that make this panel this panel. */
export const backedUpState: BackedUpState = {
  open: [ledKind, scheduleKind, preferencesKind, callsKind, setupKind],
  // A pin that was never seen refused would be trust without `certificates.trust`, and without a yes at the panel.
  owners: [certificatesKind],
  secret: [pinKind, tokensKind],
};

const { 'panel.reset': panelReset, ...own } = backupCommands;

/** Saves what makes this panel this panel. */
export const backup = definePart(
  'backup',
  ({ dataDir, version, loaded, store, projects, log }: Core & { readonly projects: ProjectsService }) =>
    new BackupService<SettingsPlan>({
      dataDir,
      version,
      state: backedUpState,
      settings: new SettingsBackup(loaded, store),
      projects,
      log,
    }),
).answering(own, (service) => ({
  'backup.create': (params, context) => service.create(params, ownedBy(context)),
  'backup.restore': (params, context) => service.restore(params, ownedBy(context)),
}));

function ownedBy({ signal, identity }: AuthorizedCall) {
  return { signal, isOwner: isOwner(identity), scopes: identity.scopes };
}

/** Makes the panel as new. */
export const reset = definePart(
  'reset',
  ({ dataDir, settings, restartService, log }) =>
    new ResetService({
      dataDir,
      panelName: () => settings()['device.name'],
      restart: () => restartService('reset'),
      log,
    }),
).answering({ 'panel.reset': panelReset });
