/** What the choice needs of a profile. */
export interface Choosable {
  readonly codec: string;
  readonly width: number;
  readonly height: number;
}

/** The size of a viewer, in pixels of its screen. */
export interface ViewerSize {
  readonly width: number;
  readonly height: number;
}

/** A picture of this share of the viewer's size is enough. */
const ENOUGH = 0.8;
/** Without a size nothing larger is chosen, where there is a choice. */
const USUAL: ViewerSize = { width: 1920, height: 1080 };

const pixels = ({ width, height }: ViewerSize): number => width * height;
const bySize = (a: Choosable, b: Choosable): number => pixels(a) - pixels(b);

/**
 * The profile that fits a viewer: of those with H.264 the one with fewest pixels whose width and height both reach 0.8 of
 * the viewer; if none does, the largest. Without a size the largest up to 1920x1080; where all are above it, the smallest.
 * @returns undefined where none is H.264
 */
export function choose<T extends Choosable>(profiles: readonly T[], size?: ViewerSize): T | undefined {
  const playable = profiles.filter(({ codec }) => codec === 'H264').toSorted(bySize);
  if (size === undefined) {
    const usual = playable.filter(({ width, height }) => width <= USUAL.width && height <= USUAL.height);
    return usual.length === 0 ? playable[0] : firstOf(usual, usual.at(-1)!);
  }
  const enough = playable.find(
    ({ width, height }) => width >= ENOUGH * size.width && height >= ENOUGH * size.height,
  );
  return enough ?? (playable.length === 0 ? undefined : firstOf(playable, playable.at(-1)!));
}

/**
 * The profile for a picture: of those with H.264 the one with fewest pixels that is so wide; if none is, the largest. Without a
 * width the same as for a viewer without a size.
 */
export function chooseWide<T extends Choosable>(
  profiles: readonly T[],
  wanted: number | undefined,
): T | undefined {
  if (wanted === undefined) return choose(profiles);
  const playable = profiles.filter(({ codec }) => codec === 'H264').toSorted(bySize);
  return playable.find(({ width }) => width >= wanted) ?? playable.at(-1);
}

/** Of profiles with as many pixels the one that the camera names first. */
function firstOf<T extends Choosable>(sorted: readonly T[], like: T): T {
  return sorted.find((profile) => pixels(profile) === pixels(like))!;
}

/** Which profile `stream.profiles` shows as the small and which as the large one; one alone is the large one. */
export function chosenAs<T extends Choosable>(profile: T, profiles: readonly T[]): 'small' | 'large' | null {
  if (profile === choose(profiles)) return 'large';
  const [smallest] = profiles.filter(({ codec }) => codec === 'H264').toSorted(bySize);
  return profile === smallest ? 'small' : null;
}
