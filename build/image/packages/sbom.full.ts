import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sbom } from './sbom.ts';

const OPTIONS = {
  version: '1.2.3',
  arch: 'amd64',
  epoch: 1_767_225_600,
  debian: [
    { name: 'faceplate', version: '1.2.3', architecture: 'amd64', source: 'faceplate' },
    { name: 'libstdc++6', version: '14.2.0-19', architecture: 'amd64', source: 'gcc-14' },
    { name: 'zlib1g', version: '1:1.3+dfsg-1', architecture: 'amd64', source: 'zlib' },
  ],
  npm: [
    { name: '@fastify/static', version: '10.1.11', license: 'MIT' },
    { name: 'odd', version: '1.0.0', license: 'not said' },
  ],
};

test('should name every part with its package URL, as CycloneDX wants it', () => {
  const bill = JSON.parse(sbom(OPTIONS));
  assert.equal(bill.bomFormat, 'CycloneDX');
  assert.deepEqual(
    bill.components.map(({ purl }: { purl: string }) => purl),
    [
      'pkg:deb/debian/libstdc%2B%2B6@14.2.0-19?arch=amd64&distro=debian-13',
      'pkg:deb/debian/zlib1g@1%3A1.3%2Bdfsg-1?arch=amd64&distro=debian-13',
      'pkg:npm/%40fastify/static@10.1.11',
      'pkg:npm/odd@1.0.0',
    ],
  );
  assert.deepEqual(bill.components[0].properties, [{ name: 'debian:source', value: 'gcc-14' }]);
  assert.deepEqual(bill.components[2].licenses, [{ expression: 'MIT' }]);
  assert.deepEqual(bill.components[3].licenses, [{ license: { name: 'not said' } }]);
  const { name, version } = bill.metadata.component;
  assert.deepEqual([name, version], ['faceplate-amd64', '1.2.3']);
});

test('should be the same text for the same input, and another serial number for another', () => {
  assert.equal(sbom(OPTIONS), sbom(OPTIONS));
  const serial = (text: string): string => JSON.parse(text).serialNumber;
  const one = serial(sbom(OPTIONS));
  assert.match(one, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notEqual(serial(sbom({ ...OPTIONS, version: '1.2.4' })), one);
});
