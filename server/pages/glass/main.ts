import type { BuiltInPageChannel } from '../../kiosk/builtInPageContract.ts';
import type {
  GlassArea,
  GlassBackdrop,
  GlassOrder,
  GlassReply,
  GlassSlot,
  PictureOrder,
} from '../../kiosk/glass/contract.ts';
import { ApprovalDrawer } from './approval/drawer.ts';
import { CallDrawer, MicrophoneDrawer } from './call/drawer.ts';
import { VisitorDrawer } from './call/visitorDrawer.ts';
import type { Drawer, Need, Tell } from './drawer.ts';
import { DialogDrawer, MessageDrawer, NoteDrawer } from './message/drawer.ts';
import { decodePicture } from './picture.ts';
import { saverDrawer } from './saver/saver.ts';

/** The gesture that opens the settings page: so many fingers for so long. */
const FINGERS = 5;
const HOLD_MS = 5_000;

// The page of the layer `glass`: it draws what the service says, and knows nothing else.
const { faceplateHost } = window as unknown as { faceplateHost: BuiltInPageChannel };
const reply = (what: GlassReply) => faceplateHost.post(JSON.stringify(what));
const tell: Tell = (event) => reply({ event });
const part = (id: string) => document.getElementById(id) as HTMLElement;
const screen = part('screen');
const backdrop = part('backdrop');
const boxes = {
  dialog: part('dialog'),
  message: part('message'),
  note: part('note'),
  approval: part('approval'),
  call: part('call'),
  visitor: part('visitor'),
  microphone: part('microphone'),
};

/** From below to above: what covers the screen hides what is below it. */
const drawers: { readonly [S in GlassSlot]?: Drawer<S> } = {
  saver: saverDrawer(part('saver'), tell),
  note: new NoteDrawer(boxes.note, tell),
  dialog: new DialogDrawer(boxes.dialog, tell),
  message: new MessageDrawer(boxes.message, tell),
  visitor: new VisitorDrawer(boxes.visitor, tell),
  call: new CallDrawer(boxes.call, tell),
  approval: new ApprovalDrawer(boxes.approval, tell),
  microphone: new MicrophoneDrawer(boxes.microphone),
};

/** What all of it needs together. One window holds it all, so two that lie apart share the smallest area around both. */
function together(needs: readonly Need[]): Need | null {
  const [first, ...others] = needs;
  if (first === undefined) return null;
  return others.reduce(
    (sum, need) => ({ area: around(sum.area, need.area), focus: sum.focus || need.focus }),
    first,
  );
}

function around(one: GlassArea, other: GlassArea): GlassArea {
  if (one === 'screen' || other === 'screen') return 'screen';
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
  const right = Math.max(one.x + one.width, other.x + other.width);
  const bottom = Math.max(one.y + one.height, other.y + other.height);
  return { x, y, width: right - x, height: bottom - y };
}

let drawn: { readonly order: GlassOrder; readonly told: string; readonly need: Need | null } | undefined;

/** @param again nothing new is to be drawn: only says where the need has changed, as when a picture has come */
function draw(order: GlassOrder, again = false): void {
  document.documentElement.lang = order.language;
  size(order.screen);
  const { saver, note, dialog, message, approval, call, microphone } = order.contents;
  const visitor = order.contents.visitor ?? null;
  const isModal = message !== null && message.style !== 'banner';
  // Nothing covers a question of the panel, so that no page can lead a finger to its Yes. Only an alarm comes before it.
  const waits = isModal && message.level === 'alarm';
  const asks = approval !== null && !waits;
  // What is below something else has to wait; it neither gets the keys nor is read.
  const rings = call !== null && call.phase !== 'connected' && !waits;
  // A call takes the place of somebody at a camera.
  const isThere = visitor !== null && call === null && !waits;
  boxes.dialog.inert = isModal || asks || rings || isThere;
  boxes.message.inert = asks || rings || isThere;
  boxes.visitor.inert = asks;
  boxes.call.inert = asks;
  back(isModal || asks || rings || isThere || dialog !== null);
  const needs = [
    drawers.saver?.draw(saver, order),
    drawers.note?.draw(note, order),
    drawers.dialog?.draw(dialog, order),
    drawers.message?.draw(message, order),
    drawers.visitor?.draw(isThere ? visitor : null, order),
    drawers.call?.draw(waits ? null : call, order),
    drawers.approval?.draw(waits ? null : approval, order),
    // Nothing covers it: a microphone that is on is always seen.
    drawers.microphone?.draw(microphone, order),
  ].filter((need) => need !== null && need !== undefined);
  const need = together(needs);
  const told = JSON.stringify(need);
  if (again && told === drawn?.told) return;
  drawn = { order, told, need };
  shift();
  reply({ drawn: order.order, area: need?.area ?? null, focus: need?.focus ?? false });
}

/** What is behind a dialog in the middle of the screen; without a picture it is dark. */
function back(isNeeded: boolean): void {
  backdrop.hidden = !isNeeded;
  if (!isNeeded) backdrop.style.backgroundImage = '';
}

/** Letters are as large as the screen allows: a panel hangs on a wall. */
function size({ width, height }: GlassOrder['screen']): void {
  screen.style.width = `${width}px`;
  screen.style.height = `${height}px`;
  const letters = Math.min(30, Math.max(18, Math.min(width, height) * 0.028));
  document.documentElement.style.fontSize = `${letters}px`;
}

/** Everything has its place on the screen. A window that is only a part of the screen shows that part. */
function shift(): void {
  const { order, need } = drawn ?? {};
  if (order === undefined) return;
  const area = need === null || need === undefined || need.area === 'screen' ? { x: 0, y: 0 } : need.area;
  const isWhole = innerWidth >= order.screen.width && innerHeight >= order.screen.height;
  screen.style.left = `${isWhole ? 0 : -area.x}px`;
  screen.style.top = `${isWhole ? 0 : -area.y}px`;
}

watchSettingsCall(() => tell({ slot: 'screen', did: 'called' }));
addEventListener('resize', shift);
const changes = new ResizeObserver(() => {
  if (drawn !== undefined) draw(drawn.order, true);
});
for (const box of Object.values(boxes)) changes.observe(box);

faceplateHost.listen((json) => {
  const told = JSON.parse(json) as GlassOrder | GlassBackdrop | PictureOrder;
  if ('picture' in told) void decodePicture(told).then(reply);
  else if (!('backdrop' in told)) draw(told);
  else if (!backdrop.hidden) backdrop.style.backgroundImage = `url("${told.backdrop}")`;
});
reply({ ready: true });

/**
 * The gestures that open the settings page, here as well: what covers the kiosk page would swallow them. Real input
 * only.
 */
function watchSettingsCall(onCall: () => void): void {
  let waiting: number | undefined;
  const touched = (event: TouchEvent) => {
    if (!event.isTrusted) return;
    if (event.touches.length >= FINGERS) waiting ??= window.setTimeout(onCall, HOLD_MS);
    else {
      window.clearTimeout(waiting);
      waiting = undefined;
    }
  };
  for (const type of ['touchstart', 'touchend', 'touchcancel'] as const)
    addEventListener(type, touched, { capture: true, passive: true });
  addEventListener(
    'keydown',
    (event) => {
      const isOthers = event.shiftKey || event.metaKey || event.repeat;
      if (event.isTrusted && event.code === 'KeyS' && event.ctrlKey && event.altKey && !isOthers) onCall();
    },
    { capture: true },
  );
}
