import type { FleetPanel } from './contract.ts';
import {
  infoSaid as infoSchema,
  type PageSaid,
  pageSaid as pageSchema,
  projectSaid as projectSchema,
  type UpdateSaid,
  updateSaid as updateSchema,
} from './statesContract.ts';

/** Longest part of a panel's states that is kept, in characters of JSON. */
const MAX_PART = 8_192;
/** Most projects of one panel among which the active one is looked for. */
const MAX_PROJECTS = 1_000;

/** What a panel says in `state/info`. */
export interface ReportedState {
  /** `info.id` of that panel. */
  readonly infoId: string | null;
  readonly name: string | null;
  readonly version: string | null;
  readonly board: string | null;
  readonly address: string | null;
  /** Port of HTTPS. */
  readonly https: number | null;
  readonly groups: readonly string[] | null;
}

/** Everything here is of strangers: what does not fit, or is too long, is not known (null). */
export function infoSaid(payload: unknown): ReportedState {
  const said = infoSchema.safeParse(payload).data;
  return {
    infoId: said?.id ?? null,
    name: said?.name ?? null,
    version: said?.version ?? null,
    board: said?.board ?? null,
    address: said?.address ?? null,
    https: said?.https?.port ?? null,
    groups: said?.mqtt?.groups ?? null,
  };
}

export function pageSaid(payload: unknown): PageSaid | null {
  return ofBoundedSize(pageSchema.safeParse(payload).data);
}

export function updateSaid(payload: unknown): UpdateSaid | null {
  return ofBoundedSize(updateSchema.safeParse(payload).data);
}

/** The active project of the list that a panel sends. */
export function projectSaid(payload: unknown): FleetPanel['project'] {
  const { projects } = (payload ?? {}) as { projects?: unknown };
  if (!Array.isArray(projects)) return null;
  const active = projects
    .slice(0, MAX_PROJECTS)
    .find((one) => (one as { active?: unknown } | null)?.active === true);
  return projectSchema.safeParse(active).data ?? null;
}

function ofBoundedSize<T>(said: T | undefined): T | null {
  return said === undefined || JSON.stringify(said).length > MAX_PART ? null : said;
}
