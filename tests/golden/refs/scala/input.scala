package shop
package cart

import shop.db.{Connection, Row => DbRow, _}
import shop.events._
import scala.math.max
import Cart.limit

/** Has a price. */
trait Priced {
  def price: Int
  def total(count: Int = 1): Int = price * count
}

case class Item(name: String, price: Int, tag: Option[Tag]) extends Priced with Ordered[Item] {
  override def compare(that: Item): Int = price.compareTo(that.price)
}

class Cart[F[_], +T <: Priced](private val db: Connection[F], owner: String)(implicit F: Monad[F])
    extends Base(owner)
    with Serializable { self =>
  var items: List[T] = Nil
  private lazy val best = max(items.size, limit)

  def add(item: T): Cart[F, T] = {
    items = item :: items
    db.query("insert").map { row => row.close() }
    super.added(item)
    log add item
    this
  }

  def find(name: String)(f: T => Boolean): Either[Missing, DbRow] =
    items.find(x => x.name == name && f(x)) match {
      case Some(Item(n, p, _)) if p > 0 => Right(self.row(n, p))
      case None                         => Left(Missing(name))
      case other: DbRow                 => Right(other.copy(name = other.name))
      case whole @ Row(inner, Empty)    => whole.open(inner)
    }

  def all: F[List[DbRow]] =
    for {
      rows <- F.pure(db.rows)
      (a, b) = rows.head
      row <- rows
      if row.isOpen
    } yield use(a, row)

  def made = new Handler[T](owner) with Named { def on(event: Event) = handle(event) }
  def text = s"$owner has ${items.size}"
}

object Cart extends Factory[Cart] {
  val limit, least = 10
  type Handle = Event => Unit
  implicit def show[A: Show](implicit ev: Show[List[A]]): Show[Cart[Option, A]] = Show.by(_.items)
  def apply[F[_]: Monad](db: Connection[F]): Cart[F, Item] = new Cart(db, "nobody")
}

package object helpers {
  type Row = DbRow
  val Row = DbRow
}

@deprecated("use Cart")
private[shop] object Registry {
  @tailrec def run(n: Int, rest: Cart[Id, Item]*): Unit = if (n > 0) run(n - 1) else cats.data.stop()
}
