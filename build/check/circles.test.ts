import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findCircles } from './circles.ts';

const circlesOf = (files: Record<string, string>) => findCircles(new Map(Object.entries(files)));

describe('circles of files', () => {
  it('should accept files that are shared by others', () => {
    const shared = {
      'a/one.ts': "import './three.ts';",
      'a/two.ts': "import './three.ts';",
      'a/three.ts': '',
    };
    assert.deepEqual(circlesOf(shared), []);
  });

  it('should name the files of a circle, also one of types over three files', () => {
    const [circle, ...rest] = circlesOf({
      'a/one.ts': "import { x } from '../b/two.ts';",
      'b/two.ts': "import type { Y } from './three.ts';",
      'b/three.ts': "import type { Z } from '../a/one.ts';",
    });
    assert.match(circle!, /^a\/one\.ts -> b\/two\.ts -> b\/three\.ts -> a\/one\.ts: /);
    assert.deepEqual(rest, []);
  });
});
