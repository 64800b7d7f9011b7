import type { Door } from '../../contract/sipSettings.ts';
import { cleanName } from './callerName.ts';
import type { CallRecord, FarEnd } from './callRecord.ts';
import type { CallSession } from './callSession.ts';
import type { Doors } from './doors.ts';
import type { IncomingCall, Signalling } from './driver.ts';
import type { PanelList } from './panelList.ts';

/** The call there is. */
export interface CurrentCall {
  readonly record: CallRecord;
  readonly session: CallSession;
  readonly door: Door | undefined;
  /** Its offer has a picture that we take. */
  readonly offersVideo: boolean;
  wasIgnored: boolean;
}

/** Whether there is a picture of the far end to show. */
export function hasVideo({ session, door, offersVideo }: CurrentCall): boolean {
  if (door?.preview !== undefined) return true;
  return session.phase !== 'calling' && (session.media?.hasVideo ?? offersVideo);
}

/** Who is at the other end, as far as signalling knows it by now. */
export function farEnd({ signalled }: CallSession): FarEnd {
  return { viaPbx: signalled?.viaRegistrar ?? false, legacy: !(signalled?.peer.isFaceplate ?? false) };
}

/** Who calls, by the best that is known: the door of the settings, its own words, the panel, its address. */
export function identify(
  { peer, viaRegistrar }: IncomingCall,
  { doors, panels, signalling }: { doors: Doors; panels: PanelList; signalling: Signalling },
): { readonly door: Door | undefined; readonly name: string; readonly address: string } {
  // A registrar, or ours, vouches for the extension; else anybody could write it into a From header.
  const isVouched =
    viaRegistrar || signalling.hostOf({ kind: 'extension', extension: peer.user }) === peer.host;
  const door = isVouched ? doors.ofExtension(peer.user) : doors.ofAddress(peer.host);
  const user = cleanName(peer.user);
  const panel = viaRegistrar ? undefined : panels.nameOf(peer.host);
  return {
    door,
    name: door?.name ?? (cleanName(peer.displayName) || panel || user || peer.host),
    address: isVouched ? user || peer.host : peer.host,
  };
}
