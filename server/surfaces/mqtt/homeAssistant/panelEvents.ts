import type { EventPayload } from '../../../contract/events.ts';
import type { EventBus } from '../../../platform/eventBus.ts';

interface Heard {
  /** Something may have changed that the panel is read for. */
  onChange(): void;
  /** The page shows something else, or the display changed. */
  onPicture(): void;
  /** Somebody rings at this panel. */
  onRing(callerName: string): void;
  /** A button beside the glass went down or up. */
  onButton(button: EventPayload<'button'>): void;
  /** A reader has read something. */
  onScan(scan: EventPayload<'scan'>): void;
  /** A sound, named by its id, has ended or failed. */
  onSoundEnd(id: string): void;
}

/** Hears what Home Assistant is told of, among the events of the panel. @returns the function that ends it */
export function hearPanel(bus: EventBus, heard: Heard): () => void {
  return bus.onAny((name, payload) => {
    if (name === 'page' || name === 'display') heard.onPicture();
    if (name === 'sip') {
      const call = payload as EventPayload<'sip'>;
      // An announcement of another panel is heard; nobody rings.
      if (call.event === 'incomingCall' && !call.payload.isBroadcast) heard.onRing(call.payload.callerName);
    }
    if (name === 'button') heard.onButton(payload as EventPayload<'button'>);
    if (name === 'scan') heard.onScan(payload as EventPayload<'scan'>);
    if (name === 'sound') {
      const { id, action } = payload as EventPayload<'sound'>;
      if (action !== 'started') heard.onSoundEnd(id);
    }
    if (name !== 'stream' && name !== 'serial') heard.onChange();
  });
}
