import { isGone, type AriHttp } from '../ari/ari-http.js';
import type { PjsipObject } from './pjsip-objects.js';

/**
 * Pushes one thing's PJSIP objects, in their order. An object that is there is replaced; an identify is removed first, since a new list of
 * addresses would be added to the old one, and left alone where it is the same: calls that came in meanwhile would be refused.
 */
export async function pushObjects(http: AriHttp, objects: readonly PjsipObject[]): Promise<void> {
  for (const object of objects) {
    if (object.type === 'identify') {
      if (await isThere(http, object)) continue;
      await removeObjects(http, [object]);
    }
    await http.send('PUT', pathOf(object), {
      body: { fields: object.fields.map(([attribute, value]) => ({ attribute, value })) },
    });
  }
}

/** Whether Asterisk has just this identify. */
async function isThere(http: AriHttp, object: PjsipObject): Promise<boolean> {
  try {
    const shown = await http.send<readonly { readonly attribute: string; readonly value: string }[]>(
      'GET',
      pathOf(object),
    );
    const valuesOf = (wanted: string): string[] =>
      shown.filter(({ attribute }) => attribute === wanted).map(({ value }) => value);
    const fieldsOf = (wanted: string): string[] =>
      object.fields.filter(([attribute]) => attribute === wanted).map(([, value]) => value);
    const isSame = (one: readonly string[], other: readonly string[]): boolean =>
      one.toSorted().join() === other.toSorted().join();
    return (
      isSame(valuesOf('endpoint'), fieldsOf('endpoint')) && isSame(valuesOf('match'), fieldsOf('match').map(asShown))
    );
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** `10.0.0.0/8` as Asterisk shows it: `10.0.0.0/255.0.0.0`. */
function asShown(address: string): string {
  const [host = '', length = '32'] = address.split('/');
  const bits = (0xffff_ffff << (32 - Number(length))) >>> 0;
  const mask = length === '0' ? '0.0.0.0' : [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
  return `${host}/${mask}`;
}

/** Removes them in the opposite order; one that is not there is passed over. */
export async function removeObjects(
  http: AriHttp,
  objects: readonly Pick<PjsipObject, 'type' | 'id'>[],
): Promise<void> {
  for (const object of objects.toReversed()) {
    try {
      await http.send('DELETE', pathOf(object));
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}

function pathOf({ type, id }: Pick<PjsipObject, 'type' | 'id'>): string {
  return `/asterisk/config/dynamic/res_pjsip/${type}/${encodeURIComponent(id)}`;
}
