import { Fragment } from "react";

import { piecesOf } from "./treemap";

/** An identifier that wraps where readers expect it. */
export function BreakableName({ name }: { name: string }) {
  return piecesOf(name).map((piece, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {piece}
    </Fragment>
  ));
}
