import type { Scope } from '../../../contract/access.ts';
import { callEntities } from './callEntities.ts';
import { climateEntities } from './climateEntities.ts';
import { type Entity, isAllowed, type Topics } from './entity.ts';
import { inputEntities } from './inputEntities.ts';
import { lights } from './lights.ts';
import { pageEntities } from './pageEntities.ts';
import type { PanelNow } from './panel.ts';
import { panelEntities } from './panelEntities.ts';
import { pins } from './pins.ts';
import type { Siren } from './siren.ts';
import { soundEntities } from './soundEntities.ts';
import { updateEntity } from './updateEntity.ts';
import { wordsIn } from './words.ts';

/** What the entities show that this surface itself keeps. */
interface Own {
  readonly siren: Siren;
  readonly isInUse: boolean;
  /** What callers on the broker may do. */
  readonly scopes: readonly Scope[];
  readonly topics: Topics;
}

/** All entities of the panel as it is now: of parts that it has, with commands that callers on the broker may use. */
export function entitiesOf(now: PanelNow, { siren, isInUse, scopes, topics }: Own): Entity[] {
  const context = { now, topics, word: wordsIn(now.language) };
  const all = [
    ...lights(context),
    ...pageEntities(context),
    ...soundEntities(context, siren),
    ...pins(context),
    ...inputEntities(context),
    ...climateEntities(context),
    ...callEntities(context),
    ...panelEntities(context, isInUse),
    ...updateEntity(context, isAllowed({ needs: 'update.fetch' }, scopes)),
  ];
  return all.filter((entity) => isAllowed(entity, scopes));
}
