package shop.cart

import scala.util.{Try, Success}
import shop.tax._

/** What a customer wants. */
@deprecated("x")
final case class Cart[T](owner: String, items: List[T]) extends Base with Ordered[Cart[T]] {
  val max: Int = 100
  private var count = 0
  lazy val total: Double = 1.0

  /** The sum. */
  override def compare(other: Cart[T]): Int = {
    // inside
    val local = 1
    def helper(x: Int) = x
    helper(local)
  }

  protected def abstractOne: Int
  type Key = String
}

object Cart {
  def apply(owner: String): Cart[Nothing] = new Cart(owner, Nil) {
    override def compare(other: Cart[Nothing]) = 0
  }
  implicit val ordering: Ordering[Cart[_]] = ???
}

trait Draw[F[_]] {
  def draw: F[Unit]
}

enum Color(val hex: String):
  case Red extends Color("f00")
  case Rgb(r: Int)

given intOrd: Ordering[Int] with
  def compare(x: Int, y: Int) = x - y

extension (s: String)
  def shout: String = s.toUpperCase

package object helpers {
  def help = 1
}
