/**
 * What the intercom needs of the world: signalling (server/sip), media (server/callMedia), the intercom page (the host's
 * hidden target that owns microphone, camera and speaker) and discovery of other panels.
 */
import type { IntercomOffer, IntercomTone } from '../../contract/intercomPage.ts';

/** Where a call goes: straight to an address, or to an extension at the configured registrar. */
export type CallTarget =
  /** `user`: some devices answer to their own name only. */
  | { readonly kind: 'address'; readonly host: string; readonly port?: number; readonly user?: string }
  | { readonly kind: 'extension'; readonly extension: string };

/** How a caller asks to be answered without a touch, as read from Call-Info, Alert-Info and Answer-Mode. */
export interface CallHeaders {
  readonly autoAnswer?: boolean;
  /** X-Panel-Page: one page to the whole house, the same id on all its calls. */
  readonly pageId?: string;
}

/** The far end of a call. */
export interface CallPeer {
  /** Address that its messages come from. */
  readonly host: string;
  readonly port: number;
  /** User part of its From or To, and its display name; both may be empty. Text of strangers: never trusted. */
  readonly user: string;
  readonly displayName: string;
  /** Its User-Agent or Server header says Faceplate. */
  readonly isFaceplate: boolean;
  /** Signalling is TLS, so that SRTP keys may stand in the SDP. */
  readonly secure: boolean;
}

/** Why a call is over, seen from the far end or the network. `local` ends are not reported. */
export type CallEnd =
  | { readonly cause: 'bye' }
  | { readonly cause: 'cancel'; readonly answeredElsewhere: boolean }
  | { readonly cause: 'refused'; readonly status: number; readonly reason: string }
  /** No sign of life within the limit for a first answer, or no connection: why not, in words, where that is known. */
  | { readonly cause: 'unreachable'; readonly problem?: string | undefined }
  /** Session timer, lost transport, no ACK. */
  | { readonly cause: 'timeout' };

/** What both directions of a call have in common once they are set up. */
export interface SignalledCall {
  readonly id: string;
  readonly peer: CallPeer;
  readonly viaRegistrar: boolean;
  /** The far end, or the network, has ended the call; told once, never after `hangup`. */
  onEnd: (end: CallEnd) => void;
  /** A new offer within the call (re-INVITE, UPDATE). Rejected promise: 488, the call goes on as it was. */
  onOffer: (sdp: string) => Promise<string>;
  /** An INFO of the far end, such as application/dtmf-relay or media_control+xml. */
  onInfo: (contentType: string, body: string) => void;
  sendInfo(contentType: string, body: string): Promise<void>;
  /** BYE, CANCEL or 487, whatever fits the state. Safe to call twice. */
  hangup(): Promise<void>;
}

export interface OutgoingCall extends SignalledCall {
  /** 180 and 183; `sdp` where it carries early media. The first one of any kind is the sign of life. */
  onProgress: (status: number, sdp: string | undefined) => void;
  /** 2xx with the answer; `peer` is complete by then. */
  onAccepted: (sdp: string) => void;
}

export interface IncomingCall extends SignalledCall, CallHeaders {
  /** Undefined where the offer is to come from us (delayed offer: the answer of `accept` is then our offer). */
  readonly offer: string | undefined;
  /** 180, or 183 with SDP for early media. */
  ring(sdp?: string): Promise<void>;
  /** 200. Resolves with the ACK, and with its SDP where the offer was ours. */
  accept(sdp: string): Promise<string | undefined>;
  /** 486 by default. */
  reject(status?: 480 | 486 | 488 | 603): Promise<void>;
}

/** SIP itself: registration, calls in both directions. */
export interface Signalling {
  onIncoming: (call: IncomingCall) => void;
  onRegistration: (registered: boolean, lastError: string | null) => void;
  readonly registered: boolean;
  start(): Promise<void>;
  /** BYE to every call and REGISTER with Expires 0, bounded in time. */
  stop(): Promise<void>;
  /** Never throws: what goes wrong is an `onEnd` of the call. */
  call(target: CallTarget, sdp: string, headers?: CallHeaders): OutgoingCall;
  /** Where a target's messages come from; undefined for an extension that is not known, or not yet. */
  hostOf(target: CallTarget): string | undefined;
  /** Whether a call to it goes over TLS: media are sealed then, with keys that stand in the description. */
  isSecure(target: CallTarget): boolean;
  /** OPTIONS: whether somebody answers there within two seconds. */
  ping(host: string, port: number): Promise<boolean>;
}

export interface MediaOptions {
  /** Offer or take video at all. */
  readonly video: boolean;
  /** Send only (paging), receive only (being paged), or both. */
  readonly direction: 'sendrecv' | 'sendonly' | 'recvonly';
  /** Keys in the SDP (SDES), only where the signalling is TLS. */
  readonly secure: boolean;
  /** Address of the far end: which of our own addresses goes into the SDP, and where RTP may come from. */
  readonly peerHost: string;
}

/** Media of one call: RTP towards the far end, a peer connection towards the intercom page, nothing transcoded. */
export interface CallMedia {
  /** Our offer for an INVITE. */
  offer(): Promise<string>;
  /** The answer to our offer; early (183) and final. @throws FaceplateError where nothing fits. */
  accept(sdp: string): Promise<void>;
  /** Our answer to the far end's offer, first and later ones. `early`: their media may come, ours does not go yet. */
  answer(sdp: string, options?: { early?: boolean }): Promise<string>;
  readonly hasVideo: boolean;
  /** Sends silence and no picture while muted; the stream stays alive. */
  setMicMuted(muted: boolean): void;
  /** RFC 4733 events within the audio stream; `gapMs` between digits. False: the far end takes none (use INFO). */
  sendDtmf(digits: string, gapMs: number): Promise<boolean>;
  /** Offers the far end's picture, or our own, to the project page: its WHEP offer in, our answer out. */
  showVideo(which: 'remote' | 'local', sdp: string): Promise<string>;
  /** No RTP for 30 s although it was expected. */
  onSilent: () => void;
  onDtmf: (digit: string) => void;
  /** The far end takes no RTCP feedback: it has to be asked for a key frame by INFO (media_control+xml, RFC 5168). */
  onKeyFrameNeeded: () => void;
  /** The far end asks for a key frame of ours by such an INFO. */
  sendKeyFrame(): void;
  stop(): Promise<void>;
}

export interface MediaFactory {
  start(): Promise<void>;
  stop(): Promise<void>;
  open(options: MediaOptions): Promise<CallMedia>;
  /** One microphone stream of the page copied to many calls (paging). Each `open` is one of them. */
  openPage(): Promise<{ open(options: MediaOptions): Promise<CallMedia>; stop(): Promise<void> }>;
  /** To be called by `IntercomPage.onReset`: makes the connections with the page anew, while the calls go on. */
  resetPage(): void;
}

/** Sounds of the panel itself. */
export type Tone = IntercomTone;

/** The intercom page: microphone, camera, speaker. It may crash and come back at any time. */
export interface IntercomPage {
  /** Shows an offer of ours to the page; resolves with its answer. A second offer of the same `connection` renegotiates. */
  connect(offer: IntercomOffer): Promise<string>;
  close(connection: string): Promise<void>;
  play(tone: Tone): Promise<void>;
  /** 0 to 1, of all that is heard. */
  setVolume(volume: number): Promise<void>;
  /** The page is there again, empty: connections have to be made anew. */
  onReset: () => void;
}

/** Another Faceplate on the network. */
export interface Panel {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

export interface PanelDiscovery {
  onFound: (panel: Panel) => void;
  onLost: (panel: Panel) => void;
  start(own: { readonly id: string; readonly name: string; readonly port: number }): Promise<void>;
  stop(): Promise<void>;
}

/** Opens a door by a request on the local network (a relay of the door station, a controller). */
export interface DoorRelay {
  /** @throws FaceplateError HARDWARE_ERROR with a sentence that names neither login nor path. */
  open(url: string): Promise<void>;
}

/** The RTSP picture of a caller that sends none with its call. */
export interface CameraPreview {
  /** Shows it to the project page: its WHEP offer in, our answer out. */
  open(url: string, sdp: string): Promise<string>;
  close(): Promise<void>;
}
