import type { GlassArea, GlassEvent, GlassOrder, GlassSlot, GlassSlots } from '../../kiosk/glass/contract.ts';

/** What one slot needs of the screen. */
export interface Need {
  readonly area: GlassArea;
  /** Whether it wants the keys. */
  readonly focus: boolean;
}

/** Draws one slot into its element. Keeps what stands there when the same content comes again. */
export interface Drawer<S extends GlassSlot> {
  /** @returns what it needs; called with null it takes everything away and needs nothing */
  draw(content: GlassSlots[S] | null, order: GlassOrder): Need | null;
}

export type Tell = (event: GlassEvent) => void;
