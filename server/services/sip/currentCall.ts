import { FaceplateError } from '../../contract/errors.ts';
import type { SipStatus } from '../../contract/sip.ts';
import type { Door } from '../../contract/sipSettings.ts';
import { cleanName } from './callerName.ts';
import type { HistoryFacts } from './callHistory.ts';
import { type CallRecord, type FarEnd, historyOutcome } from './callRecord.ts';
import type { CallOutcome, CallSession } from './callSession.ts';
import type { Doors } from './doors.ts';
import type { CallTarget, CameraPreview, IncomingCall, Signalling } from './driver.ts';
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

/** What the status says of the call there is. */
export function callFacts(
  current: CurrentCall | undefined,
): Pick<SipStatus, 'callHasVideo' | 'incomingCallerName' | 'incomingIsBroadcast'> {
  const incoming = current?.record.direction === 'incoming' ? current.record : undefined;
  return {
    callHasVideo: current !== undefined && hasVideo(current),
    incomingCallerName: incoming?.name ?? '',
    incomingIsBroadcast: incoming?.isBroadcast ?? false,
  };
}

/** What the history says of a call that is over. */
export function historyFacts(call: CurrentCall, outcome: CallOutcome): HistoryFacts {
  const { session, record, wasIgnored } = call;
  return {
    outcome: historyOutcome(record, outcome, { wasConnected: session.wasConnected, wasIgnored }),
    seconds: session.seconds,
    hasVideo: call.offersVideo || call.door?.preview !== undefined,
    viaPbx: farEnd(session).viaPbx,
  };
}

/** Whether there is a picture of the far end to show. */
export function hasVideo({ session, door, offersVideo }: CurrentCall): boolean {
  if (door?.preview !== undefined) return true;
  return session.phase !== 'calling' && (session.media?.hasVideo ?? offersVideo);
}

/**
 * A picture of the call for the project page: of its media, else the preview of its door.
 * @param sdp WHEP offer of the page
 * @returns our answer
 * @throws FaceplateError NOT_FOUND where there is none
 */
export async function showVideo(
  current: CurrentCall | undefined,
  preview: CameraPreview,
  target: 'remote' | 'local',
  sdp: string,
): Promise<string> {
  const media = current?.session.media;
  if (media?.hasVideo) return media.showVideo(target, sdp);
  const url = current?.door?.preview;
  if (target === 'remote' && url !== undefined) return preview.open(url, sdp);
  throw new FaceplateError('NOT_FOUND', 'There is no picture of a call to show now.');
}

/** Who is at the other end, as far as signalling knows it by now. */
export function farEnd({ signalled }: CallSession): FarEnd {
  return { viaPbx: signalled?.viaRegistrar ?? false, legacy: !(signalled?.peer.isFaceplate ?? false) };
}

/** Who is called, by the best that is known: the door of the settings, the panel, its address or extension. */
export function identifyCallee(
  target: CallTarget,
  { doors, panels }: { doors: Doors; panels: PanelList },
): { readonly door: Door | undefined; readonly name: string; readonly address: string } {
  const isExtension = target.kind === 'extension';
  const address = isExtension ? target.extension : target.host;
  const door = isExtension ? doors.ofExtension(address) : doors.ofAddress(address);
  return { door, name: door?.name ?? panels.nameOf(address) ?? address, address };
}

/** Who calls, by the best that is known: the door of the settings, its own words, the panel, its address. */
export function identifyCaller(
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
