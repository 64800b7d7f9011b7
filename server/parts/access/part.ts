import { isOwner } from '../../contract/access.ts';
import { systemWallClock } from '../../platform/clock.ts';
import { panelUrl } from '../../platform/net/addresses.ts';
import { definePart } from '../part.ts';
import { tokensCommands } from './contract.ts';
import { AccessService } from './service.ts';

/** Who may call. */
export const access = definePart(
  'access',
  ({ token, dataDir, http, holders, log }) =>
    new AccessService({
      owner: token,
      dataDir,
      clock: systemWallClock,
      panelUrl: () => panelUrl(http.web),
      onEnded: (holder) => holders.end(holder),
      log,
    }),
).answering(tokensCommands, (service) => ({
  'token.create': (params, { identity }) => service.create(params, identity),
  'token.revoke': (params, { identity }) => service.revoke(params, isOwner(identity)),
  'pairing.start': (_params, { identity }) => service.startPairing(identity),
  'pairing.finish': (params, { origin }) => service.finishPairing(params, origin),
}));
