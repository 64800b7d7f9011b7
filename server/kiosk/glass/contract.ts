/** What the service and the page of the layer `glass` say to each other. The service decides, the page draws. */

/** A message of a caller (`message.show`). */
export interface MessageOnGlass {
  readonly id: string;
  readonly title: string | null;
  readonly text: string;
  readonly level: 'info' | 'warning' | 'alarm';
  readonly style: 'banner' | 'dialog' | 'full';
  /** A picture as a `data:` address; null without one. */
  readonly image: string | null;
  readonly buttons: readonly { readonly id: string; readonly label: string }[];
}

/** A question of the kiosk page: `alert`, `confirm` or `prompt`. */
export interface DialogOnGlass {
  readonly id: string;
  readonly kind: 'alert' | 'confirm' | 'prompt';
  /** Of the page that asks. */
  readonly origin: string;
  readonly text: string;
  /** The first text in the field of a `prompt`. */
  readonly value: string;
}

/** A word in the corner about a page that does not work. */
export interface NoteOnGlass {
  readonly text: string;
  /** Where more is said; null without one. */
  readonly url: string | null;
}

/** What covers the page while the panel is idle. */
export interface SaverOnGlass {
  readonly kind: 'clock' | 'black' | 'photos' | 'page';
  /** Of `photos`: `<this>/<anything>` is the next picture each time it is loaded; null for the others. */
  readonly photos: string | null;
  /** The address of a `page`. */
  readonly url: string | null;
}

/** A question of the panel: may a call from outside be carried out (`approval.commands`)? In the panel's language. */
export interface ApprovalOnGlass {
  readonly id: string;
  readonly title: string;
  /** Who asks for what, in words. */
  readonly action: string;
  /** Who asks, and the name of the command. */
  readonly facts: readonly LabelledText[];
  /** What the call was given. */
  readonly params: readonly LabelledText[];
  /** The colour that the call asks for, `#rrggbb`; null for a call without one. */
  readonly swatch: string | null;
  /** So many seconds are left for an answer when it is shown. */
  readonly seconds: number;
  /** Names of the two buttons. */
  readonly yes: string;
  readonly no: string;
}

export interface LabelledText {
  readonly label: string;
  readonly text: string;
}

/** A call that came in, while no page draws it. */
export interface CallOnGlass {
  readonly id: string;
  readonly phase: 'ringing' | 'answering' | 'connected';
  /** The best known name of who calls. */
  readonly caller: string;
  readonly isBroadcast: boolean;
  /** There is a picture of the caller to show. */
  readonly hasVideo: boolean;
  /** How far the door is that can be opened now; null: there is none. */
  readonly door: 'closed' | 'opening' | 'opened' | 'failed' | null;
  /** What became of an offer for the picture: our SDP answer, or null while there is no picture. */
  readonly picture: { readonly offer: number; readonly sdp: string | null } | null;
}

/** Somebody is at a named camera and has rung its bell. */
export interface VisitorOnGlass {
  readonly id: string;
  /** Its name. */
  readonly camera: string;
  /** Whether it takes voice, and who talks. */
  readonly talk: 'none' | 'ready' | 'talking' | 'busy' | 'failed';
  /** Why it is busy or has failed; null otherwise. */
  readonly reason: string | null;
  readonly picture: CallOnGlass['picture'];
}

/** The microphone of the panel is open for a camera. */
export interface MicrophoneOnGlass {
  readonly isOpen: true;
}

/** Everything that may lie on the glass, each null while it does not. */
export interface GlassSlots {
  readonly message: MessageOnGlass;
  readonly dialog: DialogOnGlass;
  readonly note: NoteOnGlass;
  readonly saver: SaverOnGlass;
  readonly approval: ApprovalOnGlass;
  readonly call: CallOnGlass;
  readonly visitor: VisitorOnGlass;
  readonly microphone: MicrophoneOnGlass;
}
export type GlassSlot = keyof GlassSlots;
export type GlassContents = { readonly [S in GlassSlot]: GlassSlots[S] | null };

/** To the page: all that it shows from now on. */
export interface GlassOrder {
  /** Counts up. */
  readonly order: number;
  readonly contents: GlassContents;
  /** Of the screen, in pixels. */
  readonly screen: { readonly width: number; readonly height: number };
  /** Of what the panel itself says. */
  readonly language: string;
}

/** To the page: what the kiosk page looked like when a dialog came, as a `data:` address. It is shown while one is there. */
export interface GlassBackdrop {
  readonly backdrop: string;
}

/** A picture as a camera sends it: a key frame of H.264 as a byte stream (Annex B), or a JPEG. */
export interface CodedPicture {
  readonly kind: 'h264' | 'jpeg';
  readonly bytes: Uint8Array;
  /** Most pixels across that are wanted; a narrower picture stays as it is. */
  readonly width?: number | undefined;
}

/** To the page: decode this picture, and answer it as a JPEG. */
export interface PictureOrder {
  /** Counts up. */
  readonly picture: number;
  readonly kind: CodedPicture['kind'];
  /** In base64. */
  readonly data: string;
  /** Null: as it is. */
  readonly width: number | null;
}

/** From the page: what became of a picture, in base64; or why nothing. */
export type PictureReply =
  | { readonly decoded: number; readonly jpeg: string }
  | { readonly decoded: number; readonly failed: 'broken' | 'unsupported' };

/** A part of the screen, in pixels, or all of it. */
export type GlassArea =
  | 'screen'
  | { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** What a person does with a call. */
export type CallAction = 'answered' | 'ignored' | 'hungUp' | 'openedDoor';

/** What a person did, and what the page needs. */
export type GlassEvent =
  | { readonly slot: 'message'; readonly id: string; readonly did: 'dismissed' }
  | { readonly slot: 'message'; readonly id: string; readonly did: 'pressed'; readonly button: string }
  | { readonly slot: 'dialog'; readonly id: string; readonly accepted: boolean; readonly value: string }
  | { readonly slot: 'approval'; readonly id: string; readonly isYes: boolean }
  | { readonly slot: 'call'; readonly id: string; readonly did: CallAction }
  /** Its page has a viewer for the picture: the SDP offer, by number. */
  | {
      readonly slot: 'call';
      readonly id: string;
      readonly did: 'offered';
      readonly offer: number;
      readonly sdp: string;
    }
  | { readonly slot: 'visitor'; readonly id: string; readonly did: 'ignored' | 'pressed' | 'released' }
  /** As of a call. */
  | {
      readonly slot: 'visitor';
      readonly id: string;
      readonly did: 'offered';
      readonly offer: number;
      readonly sdp: string;
    }
  | { readonly slot: 'note'; readonly did: 'dismissed' }
  | { readonly slot: 'saver'; readonly did: 'touched' }
  /** The settings page is called: five fingers for five seconds, or Ctrl+Alt+S. */
  | { readonly slot: 'screen'; readonly did: 'called' };

/** From the page. */
export type GlassReply =
  /** It begins anew and shows nothing. */
  | { readonly ready: true }
  /** It has drawn an order and needs this much of the screen; null: none. `focus`: it wants the keys. */
  | { readonly drawn: number; readonly area: GlassArea | null; readonly focus: boolean }
  | { readonly event: GlassEvent }
  | PictureReply;
