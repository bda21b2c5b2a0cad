import { Fragment } from "react";

import { piecesOf } from "./treemap";

/** A name of code that goes on in the next line where a reader expects it. */
export function BreakableName({ name }: { name: string }) {
  return piecesOf(name).map((piece, place) => (
    <Fragment key={place}>
      {place > 0 && <wbr />}
      {piece}
    </Fragment>
  ));
}
