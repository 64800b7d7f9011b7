import { type EntityMaker, InvalidPayload } from '../homeAssistant.ts';
import type { ProjectEntry } from './contract.ts';

interface ProjectsNow {
  readonly projects: readonly Pick<ProjectEntry, 'id' | 'name' | 'active'>[];
}

/** The installed projects, to choose one of them. */
export const homeAssistant: EntityMaker<ProjectsNow> = () => ({
  groups: [
    {
      order: 40,
      entities: ({ now: { projects }, topics, word }) =>
        projects.length === 0
          ? []
          : [
              {
                key: 'project',
                platform: 'select',
                name: word('Project', 'Projekt', 'Proyecto'),
                needs: 'projects.activate',
                config: {
                  options: projects.map(({ name }) => name),
                  state_topic: topics.state('projects'),
                  value_template:
                    "{{ value_json.projects | selectattr('active') | map(attribute='name') | first | default('None') }}",
                  entity_category: 'config',
                  icon: 'mdi:package-variant-closed',
                },
                set: async (payload, call) => {
                  const wanted = projects.find(({ name }) => name === payload);
                  if (wanted === undefined)
                    throw new InvalidPayload('must be the name of an installed project');
                  await call('projects.activate', { id: wanted.id });
                },
              },
            ],
    },
  ],
});
