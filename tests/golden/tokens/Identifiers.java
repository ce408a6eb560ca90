package com.example.warehouse.reservation.internal;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/** Long names, as frameworks grow them. */
public abstract class AbstractTransactionalReservationRepositoryFactoryBean<R extends ReservationRepository>
        extends RepositoryFactoryBeanSupportWithTransactionManagement<R, InventoryReservation, ReservationIdentifier> {

    private static final int DEFAULT_MAXIMUM_NUMBER_OF_CONCURRENT_RESERVATION_ATTEMPTS = 16;
    private static final String RESERVATION_CONFIRMATION_TIMEOUT_PROPERTY_NAME =
            "warehouse.reservation.confirmation-timeout-in-milliseconds";

    private final ConcurrentHashMap<ReservationIdentifier, PendingReservationConfirmationCallback>
            pendingReservationConfirmationCallbacksByIdentifier = new ConcurrentHashMap<>();

    protected AbstractTransactionalReservationRepositoryFactoryBean(
            Class<? extends R> reservationRepositoryInterface,
            ReservationTransactionManagerConfigurationProperties transactionManagerConfigurationProperties) {
        super(reservationRepositoryInterface);
        setTransactionManagerBeanName(transactionManagerConfigurationProperties.getTransactionManagerBeanName());
        setEnableDefaultTransactionsForReadOnlyQueryMethods(
                transactionManagerConfigurationProperties.isDefaultTransactionsForReadOnlyQueryMethodsEnabled());
    }

    @Override
    protected RepositoryFactorySupport createRepositoryFactoryForEntityManagerAndPersistenceUnit(
            EntityManagerHolder entityManagerHolder, PersistenceUnitConfiguration persistenceUnitConfiguration) {
        TransactionalReservationRepositoryFactory reservationRepositoryFactory =
                new TransactionalReservationRepositoryFactory(entityManagerHolder, persistenceUnitConfiguration);
        reservationRepositoryFactory.addRepositoryProxyPostProcessor(
                new OptimisticLockingFailureRetryingRepositoryProxyPostProcessor(
                        DEFAULT_MAXIMUM_NUMBER_OF_CONCURRENT_RESERVATION_ATTEMPTS));
        return reservationRepositoryFactory;
    }

    public boolean registerPendingReservationConfirmationCallbackIfAbsent(
            ReservationIdentifier reservationIdentifier,
            PendingReservationConfirmationCallback pendingReservationConfirmationCallback) {
        PendingReservationConfirmationCallback previouslyRegisteredCallback =
                pendingReservationConfirmationCallbacksByIdentifier.putIfAbsent(
                        reservationIdentifier, pendingReservationConfirmationCallback);
        return previouslyRegisteredCallback == null;
    }
}

/** Constants in capitals. */
final class ReservationErrorCodes {
    static final int RESERVATION_NOT_FOUND = 1_000, RESERVATION_ALREADY_CONFIRMED = 1_001;
    static final int INSUFFICIENT_STOCK_QUANTITY = 1_010, WAREHOUSE_TEMPORARILY_UNAVAILABLE = 1_020;
    static final int MAXIMUM_NUMBER_OF_RETRY_ATTEMPTS_EXCEEDED = 1_021, HTTP_GATEWAY_TIMEOUT = 1_504;

    static boolean isRetryable(int reservationErrorCode) {
        return reservationErrorCode == WAREHOUSE_TEMPORARILY_UNAVAILABLE || reservationErrorCode == HTTP_GATEWAY_TIMEOUT;
    }
}
