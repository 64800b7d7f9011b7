/** A window as sway tells of it: sway-ipc(7), "GET_TREE". Only what is used here. */
export interface SwayWindow {
  readonly id: number;
  readonly pid: number;
  /** What the window says of itself; a page can choose it. */
  readonly name: string;
  readonly isFocused: boolean;
  readonly isFullScreen: boolean;
  /** Above the tiled windows. */
  readonly isFloating: boolean;
}

/** An output: sway-ipc(7), "GET_OUTPUTS". */
export interface SwayOutput {
  readonly name: string;
  readonly isActive: boolean;
  readonly isLit: boolean;
  /** Degrees, clockwise; undefined for a mirrored one. */
  readonly rotation: number | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** How deep containers are looked into. The layout here is flat. */
const MAX_DEPTH = 20;

/** @returns one window of an answer or an event; undefined for a container that is none */
export function readWindow(node: unknown): SwayWindow | undefined {
  const { id, pid, name, focused, fullscreen_mode, type } = asObject(node);
  if (typeof id !== 'number' || typeof pid !== 'number') return undefined;
  return {
    id,
    pid,
    name: typeof name === 'string' ? name : '',
    isFocused: focused === true,
    isFullScreen: typeof fullscreen_mode === 'number' && fullscreen_mode > 0,
    isFloating: type === 'floating_con',
  };
}

/** All windows of an answer to GET_TREE: first the tiled ones, then the floating ones from below. */
export function readWindows(tree: unknown, depth = 0): SwayWindow[] {
  if (depth > MAX_DEPTH) return [];
  const { nodes, floating_nodes: floating } = asObject(tree);
  const own = depth > 0 ? readWindow(tree) : undefined;
  const below = [...asArray(nodes), ...asArray(floating)].flatMap((node) => readWindows(node, depth + 1));
  return own === undefined ? below : [own, ...below];
}

/** @returns all outputs with a name that may stand in a command */
export function readOutputs(answer: unknown): SwayOutput[] {
  return asArray(answer).flatMap((item) => {
    const { name, active, dpms, transform } = asObject(item);
    if (typeof name !== 'string' || !/^[\w.:-]{1,100}$/.test(name)) return [];
    const degrees = transform === 'normal' ? 0 : Number(transform);
    return [
      {
        name,
        isActive: active === true,
        isLit: dpms === true,
        rotation: Number.isInteger(degrees) ? degrees : undefined,
      },
    ];
  });
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
