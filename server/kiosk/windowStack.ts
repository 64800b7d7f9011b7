import type { LayerName } from './builtInPageContract.ts';
import type { GlassSlot } from './glass/contract.ts';
import type { ScreenArea } from './host.ts';

/** The layers from below: the keys also write into a question on the glass. */
export const LAYERS: readonly LayerName[] = ['glass', 'keys'];

/** What comes above the kiosk page, beside the black window of a sleeping panel, which covers all. */
type Comer = GlassSlot | 'keys' | 'settings';

/**
 * What each of them does to the others when it comes. `closes`: these go, as they would cover it or lose their field.
 * `holds`: these wait as long as it is there, as they are about the page below it.
 */
const ON_SCREEN: Readonly<
  Record<Comer, { readonly closes: readonly Comer[]; readonly holds: readonly GlassSlot[] }>
> = {
  approval: { closes: ['keys'], holds: [] },
  call: { closes: ['keys'], holds: [] },
  visitor: { closes: ['keys'], holds: [] },
  microphone: { closes: [], holds: [] },
  message: { closes: ['keys'], holds: [] },
  // Its field may need the keys.
  dialog: { closes: [], holds: [] },
  note: { closes: [], holds: [] },
  saver: { closes: ['keys'], holds: [] },
  keys: { closes: [], holds: [] },
  settings: { closes: ['keys', 'dialog'], holds: ['dialog', 'note'] },
};

interface OnScreen {
  readonly glass: {
    onTaken(listener: (by: GlassSlot) => void): void;
    hold(slots: readonly GlassSlot[]): void;
  };
  readonly keyboard: { covered(): void };
  readonly dialogs: { cancel(): void };
  readonly kiosk: { onSettings(listener: (isOpen: boolean) => void): void };
}

/** Lets all that comes above the page obey the table. */
export function obeyLayers({ glass, keyboard, dialogs, kiosk }: OnScreen): void {
  const { closes, holds } = ON_SCREEN.settings;
  glass.onTaken((by) => {
    if (ON_SCREEN[by].closes.includes('keys')) keyboard.covered();
  });
  kiosk.onSettings((isOpen) => {
    if (isOpen && closes.includes('keys')) keyboard.covered();
    if (isOpen && closes.includes('dialog')) dialogs.cancel();
    glass.hold(isOpen ? holds : []);
  });
}

/** Windows of the browser, from above: the black one of a sleeping panel, layers, settings page, kiosk page. */
export type StackedWindow = 'blank' | LayerName | 'settings' | 'page';

/**
 * Puts the browser's windows where they belong on this screen: place, order, keys. Without one, the browser's own means
 * must do, and a layer fills the screen while it shows. All calls come one at a time.
 */
export interface WindowStack {
  /**
   * What the browser opens. `apps`: bare windows, each of which must be adopted, the kiosk page's as well, which
   * asks for full screen and must not get it; windows that are never adopted (one that opens the others, hidden
   * pages) must be out of sight from their beginning. `tabs`: full-screen windows that find their place by themselves; only layers and the blank
   * window are adopted.
   */
  readonly windows: 'apps' | 'tabs';
  /** Connects to what places the windows. @throws Error with one sentence when it cannot be reached */
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * A window has opened and takes its place: layers hidden, all others over the whole screen in their order.
   * @param title a random one that only this window has, and only during this call: later it may be the page's own
   * @throws Error when there is no such window
   */
  adopt(window: StackedWindow, title: string): Promise<void>;
  /**
   * `tabs`: the window of a layer opens until the returned function is called, and is adopted meanwhile: it is out of sight
   * from its beginning.
   */
  layerOpens?(): () => void;
  /**
   * `tabs`: gives a window this place, in pixels of the screen, however small it is.
   * @param title as in `adopt` @throws Error when there is no such window
   */
  fit?(title: string, area: ScreenArea): Promise<void>;
  /**
   * Makes the whole screen black, or ends that, where nothing else hides windows that are not drawn yet: the browser is white
   * before its first picture.
   */
  cover?(isCovered: boolean): void;
  /** The window is gone. */
  forget(window: StackedWindow): void;
  /** Shows a layer, also one that shows already. @param focus whether it gets the keys; else they stay where they are */
  show(layer: LayerName, area: ScreenArea | 'screen', focus: boolean): Promise<void>;
  /** Hides a layer; the keys go to the topmost window below. Safe while it is hidden. */
  hide(layer: LayerName): Promise<void>;
}

export function isLayer(window: StackedWindow): window is LayerName {
  return (LAYERS as readonly string[]).includes(window);
}
