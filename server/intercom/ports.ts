/**
 * The interfaces of the intercom's parts: signalling (server/intercom/sip), media (server/intercom/media), the intercom
 * page (the host's hidden target that owns microphone, camera and speaker) and discovery of other panels.
 */
import type { IntercomOffer, IntercomTone } from './pageContract.ts';

/** The target of a call: an address, or an extension at the configured registrar. */
export type CallTarget =
  /** `user`: some devices accept only calls to their own name. */
  | { readonly kind: 'address'; readonly host: string; readonly port?: number; readonly user?: string }
  | { readonly kind: 'extension'; readonly extension: string };

/** How a caller requests an answer without a touch, as read from Call-Info, Alert-Info and Answer-Mode. */
export interface CallHeaders {
  readonly autoAnswer?: boolean;
  /** X-Panel-Page: one announcement to the whole house, with the same id on all its calls. */
  readonly pageId?: string;
}

/** The remote party of a call. */
export interface CallPeer {
  /** Source address of its messages. */
  readonly host: string;
  readonly port: number;
  /** User part of its From or To, and its display name; both may be empty. A stranger's text: never trusted. */
  readonly user: string;
  readonly displayName: string;
  /** Its User-Agent or Server header names Faceplate. */
  readonly isFaceplate: boolean;
  /** Signalling uses TLS, so the SDP may contain SRTP keys. */
  readonly secure: boolean;
}

/** Why the remote party or the network ended a call. `local` ends are not reported. */
export type CallEnd =
  | { readonly cause: 'bye' }
  | { readonly cause: 'cancel'; readonly answeredElsewhere: boolean }
  | { readonly cause: 'refused'; readonly status: number; readonly reason: string }
  /** No first answer within its time limit, or no connection; with the reason as text, if it is known. */
  | { readonly cause: 'unreachable'; readonly problem?: string | undefined }
  /** Session timer, lost transport, no ACK. */
  | { readonly cause: 'timeout' };

/** Common to both directions of a call once it is set up. */
export interface SignalledCall {
  readonly id: string;
  readonly peer: CallPeer;
  readonly viaRegistrar: boolean;
  /**
   * The remote party has proved that it is a panel of this house (`sip.panelSecret`); for an outgoing call, known once
   * it is accepted.
   */
  readonly isProven: boolean;
  /** The remote party or the network has ended the call; called once, never after `hangup`. */
  onEnd: (end: CallEnd) => void;
  /** A new offer within the call (re-INVITE, UPDATE). Rejected promise: 488, and the call continues unchanged. */
  onOffer: (sdp: string) => Promise<string>;
  /**
   * An INFO from the remote party with a body, such as application/dtmf-relay or media_control+xml. False: we know no such
   * body (415).
   */
  onInfo: (contentType: string, body: string) => boolean;
  /** A message of the remote party within the call has arrived: it is there. */
  onLife: () => void;
  sendInfo(contentType: string, body: string): Promise<void>;
  /** Asks by OPTIONS within the call whether the remote party is there. False: no answer in time. Never throws. */
  isThere(): Promise<boolean>;
  /** BYE, CANCEL or 487, as the state requires. Safe to call twice. */
  hangup(): Promise<void>;
}

export interface OutgoingCall extends SignalledCall {
  /** 180 and 183; `sdp` if it carries early media. The first one of any kind is the sign of life. */
  onProgress: (status: number, sdp: string | undefined) => void;
  /** 2xx with the answer; `peer` is complete by now. */
  onAccepted: (sdp: string) => void;
}

export interface IncomingCall extends SignalledCall, CallHeaders {
  /** Undefined if we have to make the offer (delayed offer: the argument of `accept` is then our offer). */
  readonly offer: string | undefined;
  /** 180, or 183 with SDP for early media. */
  ring(sdp?: string): Promise<void>;
  /** 200. Resolves on the ACK, with its SDP if the offer was ours. */
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
  /** Never throws: a failure is reported by the call's `onEnd`. */
  call(target: CallTarget, sdp: string, headers?: CallHeaders): OutgoingCall;
  /** Whether panels of this house prove themselves, that is `sip.panelSecret` is set. */
  readonly provesPanels: boolean;
  /** Source addresses of a target's messages; undefined for an extension that is not known (yet). */
  hostOf(target: CallTarget): string | undefined;
  /** Whether it is an address of the configured registrar. */
  isRegistrar(address: string): boolean;
  /** Whether a call to it uses TLS: its media are then encrypted, with keys in the description. */
  isSecure(target: CallTarget): boolean;
  /** Sends OPTIONS: whether a device answers there within two seconds. */
  ping(host: string, port: number): Promise<boolean>;
}

export interface MediaOptions {
  /** Whether to offer or accept video. */
  readonly video: boolean;
  /** Send only (our announcement), receive only (another panel's), or both. */
  readonly direction: 'sendrecv' | 'sendonly' | 'recvonly';
  /** The signalling uses TLS: our descriptions have keys (SDES), and no packet is sent or accepted without them. */
  readonly secure: boolean;
  /** Keys are accepted without encrypted signalling, if the remote party insists (`sip.srtpOverUdp`). */
  readonly takesKeys?: boolean;
  /** Address of the remote party. It decides our own address in the SDP, and where RTP may come from. */
  readonly peerHost: string;
  /** Which other addresses its media may have; without it none. */
  readonly elsewhere?: MediaElsewhere;
}

/** The addresses that media of a call may have beside that of its signalling. */
export interface MediaElsewhere {
  /** Named in `sip.allow` or `sip.doors`, or the registrar's: if described, media go there and come from there. */
  isNamed(address: string): boolean;
  /** Also, with `sip.allowLan`, on our own networks: media may come from there unannounced. */
  mayBeTaken(address: string): boolean;
}

/** The sender of a description. */
export interface MediaParty {
  /** Source address of its signalling. */
  readonly host: string;
  /** Its media may be at another address than its signalling: for calls of the registrar and of proven panels. */
  readonly mayBeElsewhere: boolean;
}

/** How a description of the remote party is meant. */
export interface DescriptionOptions {
  /**
   * The call is not answered yet: microphone and camera stay closed. A caller is seen but not heard, a callee is heard too.
   */
  readonly early?: boolean;
  /** Its sender; by default the peer that the media were opened for, with its media at the same address. */
  readonly from?: MediaParty;
}

/** Who sees which picture of a call: the kiosk page the remote party's or our own, the glass the remote party's. */
export type CallViewer = 'remote' | 'local' | 'glass';

/** Media of one call: RTP towards the remote party, a peer connection towards the intercom page, no transcoding. */
export interface CallMedia {
  /** Our offer for an INVITE. */
  offer(): Promise<string>;
  /**
   * Takes the answer to our offer.
   * @throws FaceplateError if no codec fits.
   */
  accept(sdp: string, options?: DescriptionOptions): Promise<void>;
  /** Our answer to the remote party's first or later offer. */
  answer(sdp: string, options?: DescriptionOptions): Promise<string>;
  /** There is a picture of the remote party. */
  readonly hasVideo: boolean;
  /** While muted, sends silence and no video; the stream stays alive. */
  setMicMuted(muted: boolean): void;
  /**
   * RFC 4733 events within the audio stream; `gapMs` between digits. False: the remote party accepts none (use INFO).
   */
  sendDtmf(digits: string, gapMs: number): Promise<boolean>;
  /** Shows the remote party's picture, or our own: WHEP offer of the viewer in, our answer out. */
  showVideo(which: CallViewer, sdp: string): Promise<string>;
  /** No sign of life for 30 s, neither RTP nor RTCP, although the remote party should send; again after 30 s more. */
  onSilent: () => void;
  /** The remote party has shown by its signalling that it is there. */
  noteLife(): void;
  onDtmf: (digit: string) => void;
  /** The remote party accepts no RTCP feedback: ask it for a key frame by INFO (media_control+xml, RFC 5168). */
  onKeyFrameNeeded: () => void;
  /** Its media come from this address, which the remote party did not describe. Called once in a call. */
  onElsewhere: (address: string) => void;
  /** The remote party asks us for a key frame by such an INFO. */
  sendKeyFrame(): void;
  stop(): Promise<void>;
}

export interface MediaFactory {
  start(): Promise<void>;
  stop(): Promise<void>;
  open(options: MediaOptions): Promise<CallMedia>;
  /**
   * Whether a caller's offer can be answered at all.
   * @returns whether it has a picture that can be shown
   * @throws FaceplateError if no sound fits, or its keys or addresses do not
   */
  judge(
    offer: string,
    options: Pick<MediaOptions, 'secure' | 'takesKeys'> & { readonly from: MediaParty },
  ): { readonly hasVideo: boolean };
  /** One microphone stream of the intercom page, copied to the calls of an announcement. Each `open` is one of them. */
  openPage(): Promise<{ open(options: MediaOptions): Promise<CallMedia>; stop(): Promise<void> }>;
  /** Called by `IntercomPage.onReset`: makes the connections with the intercom page again while the calls go on. */
  resetPage(): void;
}

/** Tones that the panel plays. */
export type Tone = IntercomTone;

/** The intercom page: microphone, camera, speaker. It may crash and come back at any time. */
export interface IntercomPage {
  /** Shows an offer of ours to the page; resolves with its answer. A second offer of the same `connection` renegotiates. */
  connect(offer: IntercomOffer): Promise<string>;
  close(connection: string): Promise<void>;
  play(tone: Tone): Promise<void>;
  /** 0 to 1, for all sound. */
  setVolume(volume: number): Promise<void>;
  /** The page is back, without state: all connections must be made again. */
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
  /** @throws FaceplateError HARDWARE_ERROR with a sentence that contains neither login nor path. */
  open(url: string): Promise<void>;
}

/** The RTSP picture of a caller whose call has no video. */
export interface CameraPreview {
  /** Shows it to a viewer: its WHEP offer in, our answer out. */
  open(url: string, sdp: string, viewer: CallViewer): Promise<string>;
  /** @param viewer without it: all */
  close(viewer?: CallViewer): Promise<void>;
}
