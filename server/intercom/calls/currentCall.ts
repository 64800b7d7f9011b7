import { FaceplateError } from '../../contract/errors.ts';
import type { CallTarget, CallViewer, CameraPreview, IncomingCall, Signalling } from '../ports.ts';
import type { Door } from '../settingsContract.ts';
import type { SipStatus } from '../sipContract.ts';
import { type CallRecord, type HistoryFacts, historyOutcome, type RemoteParty } from './callHistory.ts';
import type { CallOutcome, CallSession } from './callSession.ts';
import type { Doors } from './doors.ts';
import { cleanName, type PanelList } from './panelList.ts';

/** The current call. */
export interface CurrentCall {
  readonly record: CallRecord;
  readonly session: CallSession;
  readonly door: Door | undefined;
  /** Its offer has video that we accept. */
  readonly offersVideo: boolean;
  wasIgnored: boolean;
}

/** The status fields of the current call. */
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

/** An incoming call, as it is drawn. */
export interface ShownCall {
  readonly id: string;
  readonly caller: string;
  readonly isConnected: boolean;
  readonly isBroadcast: boolean;
  readonly hasVideo: boolean;
  /** `openDoor` without a name has a door to open, and a way to do it now. */
  readonly mayOpenDoor: boolean;
}

/** The current call, if it came in. */
export function incomingFacts(current: CurrentCall | undefined, doors: Doors): ShownCall | undefined {
  if (current?.record.direction !== 'incoming') return undefined;
  const { record, session } = current;
  const isConnected = session.phase === 'connected';
  const door = current.door ?? doors.only;
  const byKeys = isConnected && current.door?.dtmf !== undefined;
  return {
    id: record.id,
    caller: record.name,
    isConnected,
    isBroadcast: record.isBroadcast,
    hasVideo: hasVideo(current),
    mayOpenDoor: door?.url !== undefined || byKeys,
  };
}

/** The history entry of a call that is over. */
export function historyFacts(call: CurrentCall, outcome: CallOutcome): HistoryFacts {
  const { session, record, wasIgnored } = call;
  return {
    outcome: historyOutcome(record, outcome, { wasConnected: session.wasConnected, wasIgnored }),
    seconds: session.seconds,
    hasVideo: call.offersVideo || call.door?.preview !== undefined,
    viaPbx: remote(session).viaPbx,
    ...(session.mediaFrom !== undefined && { mediaFrom: session.mediaFrom }),
  };
}

/** Whether there is a picture of the remote party to show. */
export function hasVideo({ session, door, offersVideo }: CurrentCall): boolean {
  if (door?.preview !== undefined) return true;
  return session.phase !== 'calling' && (session.media?.hasVideo ?? offersVideo);
}

/**
 * A picture of the call: from its media, else the preview of its door.
 * @param sdp WHEP offer of the viewer
 * @returns our answer
 * @throws FaceplateError NOT_FOUND if there is none
 */
export async function showVideo(
  current: CurrentCall | undefined,
  preview: CameraPreview,
  viewer: CallViewer,
  sdp: string,
): Promise<string> {
  const media = current?.session.media;
  if (media?.hasVideo) return media.showVideo(viewer, sdp);
  const url = current?.door?.preview;
  if (viewer !== 'local' && url !== undefined) return preview.open(url, sdp, viewer);
  throw new FaceplateError('NOT_FOUND', 'There is no picture of a call now.');
}

/** The remote party, as far as signalling knows it so far. */
export function remote({ signalled }: CallSession): RemoteParty {
  return { viaPbx: signalled?.viaRegistrar ?? false, legacy: !(signalled?.peer.isFaceplate ?? false) };
}

/** The best known name of the party we call: the door of the settings, the panel, its address or extension. */
export function identifyCallee(
  target: CallTarget,
  { doors, panels }: { doors: Doors; panels: PanelList },
): { readonly door: Door | undefined; readonly name: string; readonly address: string } {
  const isExtension = target.kind === 'extension';
  const address = isExtension ? target.extension : target.host;
  const door = isExtension ? doors.ofExtension(address) : doors.ofAddress(address);
  return { door, name: door?.name ?? panels.nameOf(address) ?? address, address };
}

/** The best known name of the caller: the door of the settings, the name it sent, the panel, its address. */
export function identifyCaller(
  { peer, viaRegistrar }: IncomingCall,
  { doors, panels, signalling }: { doors: Doors; panels: PanelList; signalling: Signalling },
): { readonly door: Door | undefined; readonly name: string; readonly address: string } {
  // A registrar (the PBX or our own) vouches for the extension; otherwise any caller could write it into a From header.
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
